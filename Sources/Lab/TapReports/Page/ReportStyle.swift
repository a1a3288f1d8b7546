internal import DisplayText
internal import HTMLPages

/// The style of reports, and the script that searches in one.
enum ReportStyle {
  /// The design of all reports.
  static let design = PageDesign(rules, script: script)

  private static let rules: HTML = """
    .result{border-left:.5rem solid var(--line);padding:.25rem 0 .25rem 1rem;margin-bottom:.75rem}
    .result.passed{border-color:var(--good)}.result.failed{border-color:var(--bad)}.result.warned{border-color:var(--warn)}
    .result.passed h1{color:var(--good)}.result.failed h1{color:var(--bad)}.result.warned h1{color:var(--warn)}
    .command{font-size:12px;padding:.3rem .5rem;margin:.35rem 0 0;max-height:4.2em;overflow:auto}
    figure{margin:.5rem 0 1rem;padding:.6rem;background:var(--box);border:1px solid var(--line);border-radius:.5rem}
    .patterns{position:absolute;width:0;height:0}
    .bar{display:block;width:100%;height:1.25rem;background:var(--track)}summary .bar{height:.75rem;margin-top:.25rem}
    .card,.both{fill:var(--card)}.link,.air{fill:url(#lines)}.terminal{fill:url(#dots)}
    .reader{fill:url(#grid)}.host{fill:url(#rows)}.earlier{fill:none;stroke:var(--text);stroke-width:1.5}
    .under{fill:var(--track)}#lines .over,#rows .over{fill:var(--link)}#dots .over,#grid .over{fill:var(--terminal)}
    .mark{stroke:var(--bad);stroke-width:2}
    .key{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:.25rem 0}
    .key svg{width:1.6rem;height:.8rem;margin-right:.35rem;vertical-align:-.05rem}
    .axis{display:flex;justify-content:space-between;gap:1rem;color:var(--dim);font-size:.875rem}
    .budget .axis{display:grid;grid-template-columns:4fr 1fr;gap:0;text-align:right}
    details{background:var(--box);border:1px solid var(--line);border-radius:.5rem;margin:.35rem 0;padding:.35rem .6rem}
    summary{cursor:pointer;overflow-wrap:anywhere}
    dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(22rem,100%),1fr));gap:.35rem 1.25rem;margin:.5rem 0;
    font-size:.875rem}
    dl>div{display:grid;grid-template-columns:8.5rem 1fr;gap:.5rem}dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
    .failure>details{border-left:.5rem solid var(--bad);border-radius:.35rem}
    .failure h3{margin:.1rem 0;display:inline}.failure>details[open]>summary .difference{display:none}
    .failure .path,.failure .rule{margin:0}
    .differences{font-size:.875rem;table-layout:fixed;margin:.35rem 0}
    .differences .expected{color:var(--good)}.differences .found{color:var(--bad);font-weight:600}
    .differences td{font-family:ui-monospace,monospace;font-size:13px}.differences td:first-child{font-family:inherit}
    .filter{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:center;margin:.35rem 0;border:0;padding:0}
    .filter legend,.unit{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    .filter label{display:flex;gap:.35rem;align-items:center}
    .filter input[type=search]{font:inherit;padding:.2rem .5rem;min-width:8rem;max-width:100%;color:var(--text);
    background:var(--box);border:1px solid var(--line);border-radius:.35rem}
    .folder{font-size:13px;margin:.5rem 0 .1rem}.folder small{font-weight:400;color:var(--dim)}
    .rows{list-style:none;margin:0;padding:0;background:var(--box);border:1px solid var(--line);font-size:13px;line-height:1.4}
    .rows>li{border-top:1px solid var(--line)}.rows>li:first-child{border-top:0}
    .rows details{border:0;border-radius:0;margin:0;padding:0;background:none}
    .rows details[open]{padding-bottom:.5rem}.rows details>:not(summary){margin-left:.6rem;margin-right:.6rem}
    .row{display:grid;grid-template-columns:6.5rem minmax(0,1fr) 7rem 5.5rem;gap:.5rem;padding:1px .6rem;color:inherit;
    text-decoration:none;font-variant-numeric:tabular-nums}
    a.row .name{text-decoration:underline}
    .row>:nth-child(n+3){text-align:right;color:var(--dim);white-space:nowrap}
    .heads{font-size:13px;color:var(--dim);border:1px solid transparent}
    .none{display:none}
    @media screen{main:has(#failed:checked) .rows>li:not(.failed),main:has(#warned:checked) .rows>li:not(.warned),
    .unmatched,main:has(#warned:checked) #failures{display:none}
    main:has(#failed:checked) .group:not(:has(.rows>.failed:not(.unmatched))),
    main:has(#warned:checked) .group:not(:has(.rows>.warned:not(.unmatched))),
    .group:not(:has(.rows>li:not(.unmatched))),#failures:not(:has(article:not(.unmatched))){display:none}
    main:has(#failed:checked):not(:has(.rows>.failed:not(.unmatched))) .none,
    main:has(#warned:checked):not(:has(.rows>.warned:not(.unmatched))) .none,
    main:not(:has(.rows>li:not(.unmatched))) .none{display:block}}
    .wide{overflow-x:auto}.figures{font-size:.875rem;font-variant-numeric:tabular-nums}
    .figures th,.figures td{text-align:right;white-space:nowrap}.figures th:first-child{text-align:left}
    .plot{display:grid;grid-template-columns:auto minmax(0,1fr);gap:.35rem;color:var(--dim);font-size:12px}
    .counts{display:flex;flex-direction:column;justify-content:space-between;text-align:right;padding:44px 0 20px}
    .plot>svg{display:block;width:100%;height:7.5rem;overflow:visible}
    .ground{fill:var(--track)}.tick{stroke:var(--dim)}.quantile{stroke:var(--text);stroke-dasharray:4 3}
    .limit{stroke:var(--bad);stroke-width:2}.plot text{fill:var(--dim)}.plot .name{fill:var(--text)}
    @media screen and (max-width:44rem){main{padding:.6rem}.result{padding-left:.6rem}h1{font-size:1.3rem}
    .row{grid-template-columns:4.6rem minmax(0,1fr) auto auto;gap:.35rem;padding:1px .35rem}
    dl>div{grid-template-columns:7rem 1fr}
    .differences th,.differences td{padding:.25rem .35rem}
    .figures thead{font-size:12px}.figures tr{display:grid;grid-template-columns:repeat(4,1fr)}
    .figures th,.figures td{padding:.15rem .35rem;border:0}
    .figures tr>:first-child{grid-column:1/-1}.figures td::before{content:attr(data-label) " ";color:var(--dim)}
    .figures thead tr>:not(:first-child){display:none}.figures tbody tr{border-top:1px solid var(--line)}}
    @media print{pre{font-size:7pt;line-height:1.25;padding:.2rem;margin:.2rem 0}summary .bar{height:.3rem}
    details{margin:.15rem 0;padding:.1rem .4rem}.command{max-height:none}}
    """

  /// Without a script the field is hidden: the choice beside it needs none.
  private static let script: HTML = """
    const field=document.getElementById('search');
    if(field){field.closest('label').hidden=false;
    const count=document.getElementById('count');
    const rows=[...document.querySelectorAll('.rows>li')].map(row=>{
    const link=row.querySelector('a.row');
    const article=link&&document.getElementById(link.hash.slice(1)).closest('article');
    const parts=article?[row,article]:[row];
    return [parts,parts.map(part=>part.textContent).join(' ').toLowerCase()]});
    const show=()=>{const text=field.value.toLowerCase();
    for(const [parts,content] of rows)for(const part of parts)part.classList.toggle('unmatched',!content.includes(text));
    const shown=rows.filter(([[row]])=>row.checkVisibility()).length;
    count.textContent=shown===rows.length?'':`${shown} of ${rows.length} shown`};
    field.addEventListener('input',show);
    for(const choice of document.getElementsByName('shown'))choice.addEventListener('change',show)}
    """
}
