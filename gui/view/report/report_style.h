// The style of a report page, without its colours, which are CSS variables of the page. Read by
// report_page.cpp only.
#pragma once

namespace ringside::view {

inline constexpr const char* kReportStyle =
    R"(*{box-sizing:border-box}
body{margin:0;background:var(--app);color:var(--text);font:13px/1.5 Inter,system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:20px}
h1{margin:0;font-size:22px;color:var(--high)}
h2{margin:28px 0 8px;font-size:17px;color:var(--high)}
h3{margin:0 0 8px;font-size:13px;color:var(--high)}
section,figure{margin:0 0 10px;padding:12px 14px;background:var(--panel);border:1px solid var(--line);border-radius:4px}
figure svg{display:block;width:100%;height:auto}
figcaption,.note,footer,header p{color:var(--dim)}
.note{margin:6px 0 0}
.small{display:grid;grid-template-columns:repeat(auto-fill,minmax(420px,1fr));gap:10px}
.big{font-size:46px;font-weight:600;line-height:1.1;color:var(--high)}
.wide{overflow-x:auto}.side{columns:2 340px}
table{border-collapse:collapse}
th,td{padding:3px 18px 3px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{font-weight:400;color:var(--dim);white-space:nowrap}
td{color:var(--high);overflow-wrap:anywhere}
.r{text-align:right;white-space:nowrap;font-family:"JetBrains Mono",ui-monospace,monospace;font-size:12px}
th.r{font-family:inherit}
pre{margin:0;overflow-x:auto;font:12px/1.5 "JetBrains Mono",ui-monospace,monospace}
.ok{color:var(--ok)}.warn{color:var(--warn)}.err{color:var(--err)}
footer{margin:20px 0 0}
@media print{@page{margin:12mm}body{background:none;font-size:10px}main{max-width:none;padding:0}
section,figure{border:0;padding:0 0 10px}section,figure,tr{break-inside:avoid}h2,h3,header{break-after:avoid}
h2{break-before:page}footer{break-before:avoid;margin:10px 0 0}.small{grid-template-columns:1fr 1fr}
.wide,pre{overflow:visible;white-space:pre-wrap}pre{columns:3;font-size:8px}
table{font-size:9px}th,td{padding-right:6px}.r{font-size:8px}th,th.r{white-space:normal}}
)";

}  // namespace ringside::view
