<?php
function square(float $x): float { return pow($x, 2); }
