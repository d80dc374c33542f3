/** The whole look of our own pages: one sheet, no fonts, no images, light and dark. */
export const STYLE = `
:root{--bg:#f6f7f9;--card:#fff;--text:#1c2330;--soft:#5b6577;--line:#e3e7ee;--accent:#4453cf;--on-accent:#fff;--track:#e8eaf3;--good:#0f8a5f;--warn:#9a6200;--bad:#c02b3c}
@media (prefers-color-scheme:dark){:root{--bg:#0f1218;--card:#171c25;--text:#e7ebf3;--soft:#9aa5b8;--line:#262e3b;--accent:#9aa5ff;--on-accent:#10131b;--track:#262e3b;--good:#4cc38a;--warn:#e2a93b;--bad:#f0707c}}
*{box-sizing:border-box}
html,body{margin:0;min-height:100%}
body{background:var(--bg);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;display:grid;place-items:center;padding:24px;min-height:100vh}
main{width:100%;max-width:560px;background:var(--card);border:1px solid var(--line);border-radius:16px;padding:32px;box-shadow:0 1px 2px rgb(0 0 0/4%),0 12px 32px rgb(0 0 0/6%)}
.brand{margin:0 0 20px;color:var(--soft);font-size:14px;font-weight:600}
.brand svg{vertical-align:middle;margin-right:8px}
h1{margin:0 0 8px;font-size:24px;line-height:1.25;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere}
body.warn h1::before,body.error h1::before{content:"";display:inline-block;width:10px;height:10px;border-radius:50%;margin-right:10px;vertical-align:middle}
body.warn h1::before{background:var(--warn)}
body.error h1::before{background:var(--bad)}
p{margin:0 0 16px;color:var(--soft);overflow-wrap:anywhere}
p strong,li strong{color:var(--text);font-weight:600}
ol.steps,ul.list{list-style:none;margin:20px 0;padding:0}
ol.steps li{position:relative;padding:0 0 18px 36px;overflow-wrap:anywhere}
ol.steps li::before{content:"";position:absolute;left:4px;top:4px;width:16px;height:16px;border-radius:50%;border:2px solid var(--line);background:var(--card)}
ol.steps li:not(:last-child)::after{content:"";position:absolute;left:11px;top:24px;bottom:0;width:2px;background:var(--line)}
ol.steps li.done::before{background:var(--good);border-color:var(--good)}
ol.steps li.done::before{content:"✓";color:var(--card);font-size:12px;line-height:16px;font-weight:700;text-align:center}
ol.steps li.active::before{border-color:var(--accent);border-right-color:transparent;animation:turn 1s linear infinite}
ol.steps li.todo .label{color:var(--soft)}
ol.steps .label{font-weight:550}
ol.steps .detail{display:block;color:var(--soft);font-size:14px;font-variant-numeric:tabular-nums}
ol.steps .said{display:block;margin-top:4px;color:var(--soft);font-size:13px;overflow-wrap:anywhere;border-left:2px solid var(--line);padding-left:8px}
progress{appearance:none;display:block;width:100%;height:6px;margin-top:8px;border:0;border-radius:3px;background:var(--track);overflow:hidden}
progress::-webkit-progress-bar{background:var(--track)}
progress::-webkit-progress-value{background:var(--accent);transition:width .4s}
progress::-moz-progress-bar{background:var(--accent)}
@keyframes turn{to{transform:rotate(1turn)}}
@media (prefers-reduced-motion:reduce){ol.steps li.active::before{animation:none}}
ul.list li{display:flex;justify-content:space-between;gap:16px;padding:10px 0;border-top:1px solid var(--line)}
ul.list li:last-child{border-bottom:1px solid var(--line)}
ul.list span{color:var(--soft);font-size:14px;white-space:nowrap}
.reason{border:1px solid var(--line);border-radius:10px;padding:12px 14px;margin:0 0 16px;font-size:14px;color:var(--text);white-space:pre-wrap;overflow-wrap:anywhere}
.actions{display:flex;flex-wrap:wrap;gap:10px;margin-top:24px}
form{margin:0}
button,a.button{display:inline-block;font:inherit;font-weight:600;border-radius:10px;padding:10px 18px;border:1px solid var(--line);background:transparent;color:var(--text);text-decoration:none;cursor:pointer}
button.primary,a.primary{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
button:hover,a.button:hover{filter:brightness(1.06)}
button:focus-visible,a:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.note{font-size:14px;margin:16px 0 0}
`;
