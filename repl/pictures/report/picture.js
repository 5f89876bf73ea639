/* The script of a flame graph (render_svg.c): zoom, search, keys.  All text goes through textContent: no name is ever
   markup or script. */
'use strict';(()=>{
const root=(document.currentScript||document.querySelector('.quern script')).closest('svg'),
 by=c=>root.querySelector('.'+c),alone=root===document.documentElement;
const BASE=1180,M=10,L=7.3,F=[...root.querySelectorAll('.f')].map((g,i)=>{
 const a=g.dataset,p=[{x:+a.x,w:+a.w,d:+a.d},{x:+a.u,w:+a.v,d:+a.e}],s=g.querySelector('title').textContent;
 return {g,i,p,...p[0],r:g.querySelector('rect'),t:g.querySelector('text'),s,n:s.split('\n')[0]};});
const box=by('m'),back=by('z'),found=by('k'),wide=by('w'),tint=by('c'),said=box.textContent;
const H=+root.getAttribute('height'),all={x:0,w:BASE,d:0};let at=all,side=0,W=BASE,cur=null,test=null;
/* What fits: the whole name, the short one, that without leading namespaces, or the
   start of it. */
function label(f,px){const k=Math.floor((px-6)/L);let n=f.n.length<=k?f.n:f.g.dataset.n||f.n;
 for(let m;n.length>k&&(m=/^[^<({ ]+?(?:::|\\|->|\/)(?=[^:])/.exec(n));)n=n.slice(m[0].length);
 f.t.textContent=k<3?'':n.length<=k?n:n.slice(0,k-1)+'\u2026';}
function zoom(z){at=z;const k=W/z.w;back.style.display=z.w<BASE-.01?'':'none';for(const f of F){
 const x=(f.x-z.x)*k,w=f.w*k,under=f.d<z.d,on=f.w>0&&x<W-.01&&x+w>.01;
 f.g.style.display=on?'':'none';if(!on)continue;
 const a=Math.max(0,x),b=Math.min(W,x+w);f.g.style.opacity=under?.5:1;
 f.r.setAttribute('x',M+a);f.r.setAttribute('width',Math.max(.2,b-a-.4));
 f.t.setAttribute('x',M+a+3);label(f,b-a);}}
/* As wide as the window, or as what the picture stands in. */
function fit(){root.removeAttribute('viewBox');root.setAttribute('width','100%');root.style.height=H+'px';
 const w=Math.max(300,root.getBoundingClientRect().width);W=w-2*M;by('back').setAttribute('width',w);
 for(const b of root.querySelectorAll('[data-r]'))b.setAttribute('x',w-b.dataset.r);zoom(at);}
function search(q){let e=null,n=0,w=0,end=-1;field.classList.remove('bad');
 if(q)try{e=new RegExp(q,/[A-Z]/.test(q)?'':'i');}catch(x){field.classList.add('bad');}
 for(const f of F)f.g.classList.toggle('hit',!!e&&f.d>0&&e.test(f.n));
/* A matching frame on another one is already counted with it. */
 for(const f of F.filter(f=>f.w>0&&f.g.classList.contains('hit')).sort((a,b)=>a.x-b.x||a.d-b.d)){
  n++;if(f.x>=end-1e-3){w+=f.w;end=f.x+f.w;}}
 found.textContent=e?n.toLocaleString('en-US')+' match, '+(100*w/BASE).toFixed(2)+'% (click to clear)':'';}
/* A field to type in; it appears at "search" or with /. */
const XH='http://www.w3.org/1999/xhtml',hold=document.createElementNS('http://www.w3.org/2000/svg','foreignObject'),
 field=document.createElementNS(XH,'input');
for(const [k,v] of [['width',280],['height',26],['y',5],['data-r',290]])hold.setAttribute(k,v);
field.setAttribute('placeholder','regular expression');field.setAttribute('aria-label','Search');
field.style.cssText='width:100%;box-sizing:border-box;font:12px ui-monospace,Menlo,Consolas,monospace;padding:3px 6px';
hold.style.display='none';hold.append(field);root.append(hold);
field.addEventListener('input',()=>search(field.value));
const ask=()=>{hold.style.display='';by('s').style.display='none';field.focus();field.select();};
const clear=()=>{field.value='';search('');hold.style.display='none';by('s').style.display='';};
const tell=f=>{box.textContent=f?f.s.replace(/\n/g,'   '):said;};
function mark(f){if(cur)cur.g.classList.remove('cur');cur=f;if(f)f.g.classList.add('cur');tell(f);}
/* Arrows: the frame beside, on, or below the marked one, as they lie on the screen. */
function move(key){const up=cur&&F.some(f=>f.d===cur.d+1&&+f.r.getAttribute('y')<+cur.r.getAttribute('y'))||!cur;
 const seen=F.filter(f=>f.w>0&&f.g.style.display!=='none');if(!cur){mark(seen.find(f=>f.d===at.d)||seen[0]);return;}
 const dir={ArrowUp:up?1:-1,ArrowDown:up?-1:1}[key],in_=(a,b)=>a.x>=b.x-1e-3&&a.x<b.x+b.w-1e-3;
 const to=dir===1?seen.filter(f=>f.d===cur.d+1&&in_(f,cur)).sort((a,b)=>b.w-a.w)[0]
  :dir===-1?seen.find(f=>f.d===cur.d-1&&in_(cur,f))
  :key==='ArrowRight'?seen.filter(f=>f.d===cur.d&&f.x>cur.x).sort((a,b)=>a.x-b.x)[0]
  :seen.filter(f=>f.d===cur.d&&f.x<cur.x).sort((a,b)=>b.x-a.x)[0];
 if(to)mark(to);}
const out=()=>zoom(at===all?all:F.filter(f=>f.d===at.d-1&&f.x<=at.x+1e-3&&f.x+f.w>=at.x+at.w-1e-3)[0]||all);
for(const f of F){f.g.addEventListener('click',()=>{zoom(f);mark(f);});
 f.g.addEventListener('mouseover',()=>tell(f));f.g.addEventListener('mouseout',()=>tell(cur));}
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
/* Two profiles: the widths of either, the colours of frames alone or with calls. */
function turn(b,act){b.style.display='';b.addEventListener('click',()=>{
 const t=b.textContent;b.textContent=b.dataset.t;b.dataset.t=t;act();});}
if(wide){const y=+root.dataset.y,h=+root.dataset.h;turn(wide,()=>{side=1-side;for(const f of F){
  Object.assign(f,f.p[side]);f.r.setAttribute('y',y+h*f.d);f.t.setAttribute('y',y+h*f.d+12);}
  clear();zoom(at.w>0?at:all);});
 turn(tint,()=>{for(const f of F)if(f.g.dataset.c){const c=f.r.getAttribute('fill');
  f.r.setAttribute('fill',f.g.dataset.c);f.g.dataset.c=c;}
  const l=by('l'),t=l.textContent;l.textContent=l.dataset.t;l.dataset.t=t;});}
addEventListener('resize',fit);fit();
})();
