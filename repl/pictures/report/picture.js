/* The script of a picture (render_svg.c): zoom, search, keys.  All text goes through textContent: no name is ever
   markup or script. */
'use strict';(()=>{
const root=(document.currentScript||document.querySelector('.quern script')).closest('svg'),
 by=c=>root.querySelector('.'+c),alone=root===document.documentElement;
const BASE=1180,M=10,L=7.3,F=[...root.querySelectorAll('.f')].map(g=>{const a=g.dataset,s=g.querySelector('title').textContent,n=s.split('\n')[0];
 return {g,x:+a.x,w:+a.w,d:+a.d,r:g.querySelector('rect'),t:g.querySelector('text'),s,n,names:[n,a.n||n,(a.n||n).split(' \u203a ').pop()]};});
const box=by('m'),back=by('z'),found=by('k'),said=box.textContent,all={x:0,w:BASE,d:0};let at=all,W=BASE,cur=null;
/* What fits: the whole name, the short one, that of the last of a chain, that without leading namespaces, or the start of it; and the share. */
function label(f,px){const m=f.s.includes('\nestimated')?'~':'',k=Math.floor((px-6)/L)-m.length,share=f.g.dataset.s;let n=f.names.find(n=>n.length<=k)||f.names[2];
 for(let x;n.length>k&&(x=/^[^<({ ]+?(?:::|\\(?!x[0-9A-F]{2})|->|\/)(?=[^:~])/.exec(n));)n=n.slice(x[0].length);
 f.t.textContent=k<3?'':m+(n.length>k?n.slice(0,k-1)+'\u2026':share&&n.length+share.length<k?n+' '+share:n);}
function zoom(z){at=z;const k=W/z.w;back.style.display=z.w<BASE-.01?'':'none';for(const f of F){
 const x=(f.x-z.x)*k,w=f.w*k,under=f.d<z.d,on=x<W-.01&&x+w>.01;
 f.g.style.display=on?'':'none';if(!on)continue;
 const a=Math.max(0,x),b=Math.min(W,x+w);f.g.style.opacity=under?.6:1;
 f.r.setAttribute('x',M+a);f.r.setAttribute('width',Math.max(.2,b-a-1));
 f.t.setAttribute('x',M+a+3);label(f,b-a);}}
/* As wide as the window, or as what the picture stands in. */
function fit(){const h=root.getAttribute('height');root.removeAttribute('viewBox');root.setAttribute('width','100%');root.style.height=h+'px';
 const w=Math.max(300,root.getBoundingClientRect().width);W=w-2*M;by('back').setAttribute('width',w);
 for(const b of root.querySelectorAll('[data-r]'))b.setAttribute('x',w-b.dataset.r);zoom(at);}
function search(q){let e=null,n=0,w=0,end=-1;field.classList.remove('bad');
 if(q)try{e=new RegExp(q,/[A-Z]/.test(q)?'':'i');}catch(x){field.classList.add('bad');}
 for(const f of F)f.g.classList.toggle('hit',!!e&&f.d>0&&e.test(f.n));
/* A matching frame on another one is already counted with it. */
 for(const f of F.filter(f=>f.g.classList.contains('hit')).sort((a,b)=>a.x-b.x||a.d-b.d)){
  n++;if(f.x>=end-.05){w+=f.w;end=f.x+f.w;}}
 found.textContent=e?n.toLocaleString('en-US')+' match, '+(100*w/BASE).toFixed(2)+'% (click to clear)':'';}
/* A field to type in; it appears at "search" or with /. */
const hold=document.createElementNS('http://www.w3.org/2000/svg','foreignObject'),field=document.createElementNS('http://www.w3.org/1999/xhtml','input');
for(const [k,v] of [['width',280],['height',26],['y',5],['data-r',290]])hold.setAttribute(k,v);
field.setAttribute('placeholder','regular expression');field.setAttribute('aria-label','Search');
field.style.cssText='width:100%;box-sizing:border-box;font:12px ui-monospace,Menlo,Consolas,monospace;padding:3px 6px';
hold.style.display='none';hold.append(field);root.append(hold);
field.addEventListener('input',()=>search(field.value));
const ask=()=>{hold.style.display='';by('s').style.display='none';field.focus();field.select();};
const clear=()=>{field.value='';search('');hold.style.display='none';by('s').style.display='';};
const tell=f=>{box.textContent=f?f.s.replace(/\n/g,'   '):said;};
function mark(f){if(cur)cur.g.classList.remove('cur');for(const o of F)o.g.tabIndex=o===(f||F[0])?0:-1;cur=f;if(f){f.g.classList.add('cur');f.g.focus({preventScroll:true});}tell(f);}
/* Arrows: the frame beside, above or below the marked one. */
function move(key){const seen=F.filter(f=>f.g.style.display!=='none');if(!cur){mark(seen.find(f=>f.d===at.d)||seen[0]);return;}
 const in_=(a,b)=>a.x>=b.x-.05&&a.x<b.x+b.w-.05;
 const to=key==='ArrowDown'?seen.filter(f=>f.d===cur.d+1&&in_(f,cur)).sort((a,b)=>b.w-a.w)[0]
  :key==='ArrowUp'?seen.find(f=>f.d===cur.d-1&&in_(cur,f))
  :key==='ArrowRight'?seen.filter(f=>f.d===cur.d&&f.x>cur.x).sort((a,b)=>a.x-b.x)[0]
  :seen.filter(f=>f.d===cur.d&&f.x<cur.x).sort((a,b)=>b.x-a.x)[0];
 if(to)mark(to);}
const out=()=>zoom(at===all?all:F.filter(f=>f.d===at.d-1&&f.x<=at.x+.05&&f.x+f.w>=at.x+at.w-.05)[0]||all);
for(const f of F){f.g.addEventListener('click',()=>{zoom(f);mark(f);});
 f.g.addEventListener('focus',()=>{if(cur!==f)mark(f);});f.g.addEventListener('mouseover',()=>tell(f));f.g.addEventListener('mouseout',()=>tell(cur));}
back.addEventListener('click',()=>zoom(all));
found.addEventListener('click',clear);
by('s').addEventListener('click',ask);
document.addEventListener('keydown',x=>{if(x.ctrlKey||x.altKey||x.metaKey)return;
 if(x.key==='Escape'){if(field.value||hold.style.display!=='none')clear();else{zoom(all);mark(null);}return;}
 if(x.target===field||/^(INPUT|SELECT|BUTTON)$/.test(x.target.tagName)||!(alone||cur||x.key==='/'))return;
 if(x.key==='/')ask();else if(/^Arrow/.test(x.key))move(x.key);else if(x.key==='Enter'&&cur)zoom(cur);
 else if(x.key==='Backspace')out();
 else if(x.key==='?')box.textContent='Keys: / search, arrows mark a frame, Enter zooms, Backspace zooms out, Esc shows all';
 else return;x.preventDefault();});
addEventListener('resize',fit);fit();
})();
