internal import DisplayText

/// The rules of CSS that all pages have: colours, type, boxes, tables and charts, light and dark, and on paper.
///
/// Text has a contrast of 4.5 or more with its background (WCAG 2.2, 1.4.3). No meaning depends on a colour alone: a word or a
/// pattern repeats it.
enum PageStyle {
  /// On a screen.
  static let screen: HTML = """
    :root{color-scheme:light dark;--back:#f6f7f9;--box:#fff;--text:#16191d;--dim:#59616b;--line:#d4dae1;--accent:#0b57d0;
    --good:#17663a;--bad:#a3211a;--warn:#7a4d00;--track:#e6eaef;--card:#0b57d0;--link:#8a5a00;--terminal:#6b4fa0}
    @media screen and (prefers-color-scheme:dark){:root{--back:#121417;--box:#1c1f24;--text:#e7eaee;--dim:#a0a8b2;--line:#3a414a;
    --accent:#8ab4f8;--good:#7bd49b;--bad:#ff9c92;--warn:#e0b060;--track:#2b3038;--card:#8ab4f8;--link:#e0b060;
    --terminal:#c3a6f5}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--back);color:var(--text);font:15px/1.45 system-ui,sans-serif}
    main{max-width:72rem;margin:0 auto;padding:1rem}
    h1{font-size:1.5rem;line-height:1.25;margin:.25rem 0 .5rem;overflow-wrap:anywhere}
    h2{font-size:1.15rem;margin:1.5rem 0 .5rem;overflow-wrap:anywhere}
    h3{font-size:1rem;margin:1rem 0 .25rem;overflow-wrap:anywhere}
    p{margin:.25rem 0;overflow-wrap:anywhere}ul{margin:.25rem 0;padding-left:1.25rem}li{overflow-wrap:anywhere}
    a{color:var(--accent)}
    :focus-visible{outline:2px solid var(--accent);outline-offset:2px}
    .dim,figcaption{color:var(--dim);font-size:.875rem}
    .good,.bad,.warn{font-weight:600}.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
    pre{margin:.5rem 0;padding:.5rem;background:var(--back);border:1px solid var(--line);border-radius:.35rem;
    font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
    table{border-collapse:collapse;width:100%;background:var(--box);border:1px solid var(--line)}
    th,td{padding:.35rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
    th{font-size:.85rem;color:var(--dim);font-weight:600}
    tbody tr:last-child>*{border-bottom:0}
    """

  /// On paper: the light colours with more contrast, without the elements of class `screen`, and with all folded and filtered
  /// content.
  static let print: HTML = """
    @media print{:root{color-scheme:light;--back:#fff;--text:#000;--dim:#444;--line:#999;--track:#eee}
    *{print-color-adjust:exact}
    body{font-size:10pt}main{max-width:none;padding:0}
    a{color:inherit;text-decoration:none}
    details::details-content{content-visibility:visible;display:block;height:auto}
    h1,h2,h3,summary{break-after:avoid}tr,figure{break-inside:avoid}
    .screen{display:none!important}}
    """
}
