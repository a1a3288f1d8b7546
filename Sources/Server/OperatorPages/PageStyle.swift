internal import Crypto
internal import DisplayText
internal import JOSE
internal import Octets

/// The style of the operator's page. It is part of every page, since a page loads nothing.
enum PageStyle {
  static let html: HTML = """
    :root{color-scheme:light dark;--back:#f6f7f9;--card:#fff;--text:#16191d;--dim:#5a626c;--line:#d9dee4;--accent:#0b57d0;
    --good:#17663a;--bad:#a3211a}
    @media (prefers-color-scheme:dark){:root{--back:#121417;--card:#1c1f24;--text:#e7eaee;--dim:#a0a8b2;--line:#343a42;
    --accent:#8ab4f8;--good:#7bd49b;--bad:#ff9c92}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
    header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding:.75rem 1.25rem;background:var(--card);
    border-bottom:1px solid var(--line)}
    header strong{margin-right:auto}
    header [role=search]{display:flex;gap:.5rem;align-items:center;flex:0 1 30rem}
    header label{margin:0}
    header input{min-width:5rem;padding:.3rem .5rem}
    nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem;flex-basis:100%}
    a{color:var(--accent)}
    nav a{text-decoration:none;padding:.25rem 0}
    nav a[aria-current]{color:var(--text);font-weight:600;border-bottom:2px solid var(--accent)}
    main{max-width:72rem;margin:0 auto;padding:1.25rem}
    h1{font-size:1.5rem;margin:.25rem 0 1rem}
    h2{font-size:1.1rem;margin:1.75rem 0 .5rem}
    .notice{padding:.6rem .9rem;border:1px solid var(--line);border-left:4px solid var(--accent);background:var(--card)}
    .notice.bad{border-left-color:var(--bad)}
    table{width:100%;border-collapse:collapse;background:var(--card);border:1px solid var(--line)}
    th,td{text-align:left;vertical-align:top;padding:.5rem .75rem;border-bottom:1px solid var(--line);
    overflow-wrap:anywhere}
    th{font-size:.85rem;color:var(--dim);font-weight:600;white-space:nowrap}
    td small,.confirmation small{display:block;color:var(--dim)}
    .good{color:var(--good)}.bad{color:var(--bad)}
    .good,.bad,.word{overflow-wrap:normal}
    form{margin:0}
    td form{display:inline-block;margin:0 .75rem .25rem 0}
    .foot,.foot a{margin-right:.5rem}
    .foot{color:var(--dim);margin:.5rem 0}
    dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(12rem,1fr));gap:.5rem 1.25rem;margin:0;padding:.75rem;
    background:var(--card);border:1px solid var(--line)}
    dt{color:var(--dim);font-size:.85rem}dd{margin:0;overflow-wrap:anywhere}
    .filter{display:grid;grid-template-columns:repeat(auto-fit,minmax(14rem,1fr));gap:0 1rem;align-items:end;
    margin-bottom:1rem}
    .filter input,.filter select{height:2.6rem}
    .filter a,.filter button{display:inline-block;margin:.75rem 1rem 0 0}
    .confirmation{max-width:40rem;padding:.5rem 1.25rem 1.25rem;background:var(--card);border:1px solid var(--line);
    border-left:4px solid var(--bad);overflow-wrap:anywhere}
    .choice{display:flex;gap:1.25rem;align-items:center}
    .choice button{border-color:var(--bad);color:var(--bad)}
    .choice button:hover,.choice button:focus-visible{background:var(--bad);color:var(--card)}
    button{font:inherit;white-space:nowrap;padding:.35rem .9rem;border:1px solid var(--accent);border-radius:.4rem;background:transparent;
    color:var(--accent);cursor:pointer}
    button:hover,button:focus-visible{background:var(--accent);color:var(--card)}
    .login{max-width:24rem;margin:10vh auto 0;padding:1.5rem;background:var(--card);border:1px solid var(--line);
    border-radius:.6rem}
    label{display:block;margin:1rem 0 .35rem}
    input,select{width:100%;font:inherit;padding:.5rem;border:1px solid var(--line);border-radius:.4rem;background:var(--back);
    color:var(--text)}
    .login button{margin-top:1rem;width:100%}
    @media (max-width:44rem){header{padding:.75rem}header strong{flex-basis:100%}header [role=search]{flex:1 1 12rem}
    main{padding:.75rem}thead{display:none}table,tbody,tr,td{display:block}
    table{border:0;background:none}tr{margin-bottom:.75rem;background:var(--card);border:1px solid var(--line);
    border-radius:.5rem}td{display:grid;grid-template-columns:7rem minmax(0,1fr);gap:.5rem;border-bottom:1px solid var(--line)}
    td:last-child{border-bottom:0}td::before{content:attr(data-label);color:var(--dim);font-size:.85rem}
    td:has(>div:empty){display:none}}
    """

  /// What a page may load and do (Content Security Policy, level 3): its own style and its own forms, nothing else.
  static let securityPolicy: String = {
    let digest = [UInt8](SHA256.hash(data: Array(html.text.utf8))).base64
    return "default-src 'none'; style-src 'sha256-\(digest)'; img-src data:; form-action 'self'; base-uri 'none'; "
      + "frame-ancestors 'none'"
  }()
}
