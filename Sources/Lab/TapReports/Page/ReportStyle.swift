internal import DisplayText
internal import Octets

/// The style of a report, light and dark.
enum ReportStyle {
  static let html: HTML = """
    :root{color-scheme:light dark;--back:#f6f7f9;--box:#fff;--text:#16191d;--dim:#59616b;--line:#d4dae1;--card:#0b57d0;
    --link:#8a5a00;--terminal:#6b4fa0;--track:#e6eaef;--good:#17663a;--bad:#a3211a}
    @media (prefers-color-scheme:dark){:root{--back:#121417;--box:#1c1f24;--text:#e7eaee;--dim:#a0a8b2;--line:#3a414a;
    --card:#8ab4f8;--link:#e0b060;--terminal:#c3a6f5;--track:#2b3038;--good:#7bd49b;--bad:#ff9c92}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
    main{max-width:60rem;margin:0 auto;padding:1rem}
    h1{font-size:1.5rem;margin:.25rem 0 .5rem}h2{font-size:1.2rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.25rem 0 .25rem}
    p{margin:.25rem 0;overflow-wrap:anywhere}ul{margin:.25rem 0;padding-left:1.25rem}li{overflow-wrap:anywhere}
    .dim,.axis,figcaption{color:var(--dim);font-size:.875rem}
    .good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}
    figure{margin:.5rem 0 1rem;padding:.6rem;background:var(--box);border:1px solid var(--line);border-radius:.5rem}
    svg{display:block;width:100%;height:1.25rem;background:var(--track)}
    svg.tall{height:4rem}summary svg{height:.75rem;margin-top:.25rem}
    .card{fill:var(--card)}.link{fill:var(--link)}.terminal{fill:var(--terminal)}.both{fill:var(--card)}
    .mark{stroke:var(--bad);stroke-width:2;vector-effect:non-scaling-stroke}
    .key{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:.25rem 0}
    .key svg{display:inline-block;width:.8rem;height:.8rem;margin-right:.35rem;vertical-align:-.05rem}
    .axis{display:flex;justify-content:space-between;gap:1rem}
    details{background:var(--box);border:1px solid var(--line);border-radius:.5rem;margin:.35rem 0;padding:.35rem .6rem}
    summary{cursor:pointer;overflow-wrap:anywhere}
    pre{margin:.5rem 0;padding:.5rem;background:var(--back);font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;
    overflow-wrap:anywhere}
    .wide{overflow-x:auto;background:var(--box);border:1px solid var(--line);border-radius:.5rem}
    table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums}
    th,td{padding:.3rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}
    th:first-child{text-align:left}thead th{color:var(--dim);font-weight:600}
    tbody tr:last-child>*{border-bottom:0}
    .budget .axis{display:grid;grid-template-columns:4fr 1fr;gap:0;text-align:right}
    @media (max-width:44rem){th:first-child{white-space:normal;min-width:7rem}th,td{padding:.3rem .4rem}}
    """
}
