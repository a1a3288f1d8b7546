internal import DisplayText
internal import HTMLPages

/// The style of the operator's pages.
enum OperatorStyle {
  /// The design. A page loads nothing, and its forms lead to this server only.
  static let design = PageDesign(rules, policy: ["img-src data:", "form-action 'self'", "frame-ancestors 'none'"])

  private static let rules: HTML = """
    header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding:.75rem 1.25rem;background:var(--box);
    border-bottom:1px solid var(--line)}
    header strong{margin-right:auto}
    header [role=search]{display:flex;gap:.5rem;align-items:center;flex:0 1 30rem}
    header label{margin:0}
    header input{min-width:5rem;padding:.3rem .5rem}
    nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem;flex-basis:100%}
    nav a{text-decoration:none;padding:.25rem 0}
    nav a[aria-current]{color:var(--text);font-weight:600;border-bottom:2px solid var(--accent)}
    .notice{padding:.6rem .9rem;border:1px solid var(--line);border-left:4px solid var(--accent);background:var(--box)}
    .notice.bad{border-left-color:var(--bad)}
    thead th{white-space:nowrap}
    td small,dd small,.confirmation small{display:block;color:var(--dim)}
    .good,.bad,.word{overflow-wrap:normal}
    .skip{position:absolute;left:-100rem}.skip:focus{left:.5rem;top:.5rem;padding:.5rem 1rem;background:var(--box)}
    form{margin:0}
    td form{display:inline-block;margin:0 .75rem .25rem 0}
    .foot,.foot a{margin-right:.5rem}
    .foot{color:var(--dim);margin:.5rem 0}
    dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(12rem,1fr));gap:.5rem 1.25rem;margin:0;padding:.75rem;
    background:var(--box);border:1px solid var(--line)}
    dt{color:var(--dim);font-size:.85rem}dd{margin:0;overflow-wrap:anywhere}
    .filter{display:grid;grid-template-columns:repeat(auto-fit,minmax(14rem,1fr));gap:0 1rem;align-items:end;
    margin-bottom:1rem}
    .filter input,.filter select{height:2.6rem}
    .filter a,.filter button{display:inline-block;margin:.75rem 1rem 0 0}
    .confirmation{max-width:40rem;padding:.5rem 1.25rem 1.25rem;background:var(--box);border:1px solid var(--line);
    border-left:4px solid var(--bad);overflow-wrap:anywhere}
    @media screen{.paper{display:none}}
    .choice{display:flex;gap:1.25rem;align-items:center}
    .choice button{border-color:var(--bad);color:var(--bad)}
    .choice button:hover,.choice button:focus-visible{background:var(--bad);color:var(--box)}
    button{font:inherit;white-space:nowrap;padding:.35rem .9rem;border:1px solid var(--accent);border-radius:.4rem;background:transparent;
    color:var(--accent);cursor:pointer}
    button:hover,button:focus-visible{background:var(--accent);color:var(--box)}
    .login{max-width:24rem;margin:10vh auto 0;padding:1.5rem;background:var(--box);border:1px solid var(--line);
    border-radius:.6rem}
    label{display:block;margin:1rem 0 .35rem}
    input,select{width:100%;font:inherit;padding:.5rem;border:1px solid var(--line);border-radius:.4rem;background:var(--back);
    color:var(--text)}
    .login button{margin-top:1rem;width:100%}
    @media screen and (max-width:44rem){header{padding:.75rem}header strong{flex-basis:100%}header [role=search]{flex:1 1 12rem}
    main{padding:.75rem}thead{display:none}table,tbody,tr,td{display:block}
    table{border:0;background:none}tr{margin-bottom:.75rem;background:var(--box);border:1px solid var(--line);
    border-radius:.5rem}td{display:grid;grid-template-columns:7rem minmax(0,1fr);gap:.5rem;border-bottom:1px solid var(--line)}
    td:last-child{border-bottom:0}td::before{content:attr(data-label);color:var(--dim);font-size:.85rem}
    td:has(>div:empty){display:none}}
    @media print{header form,td form,.choice,.filter,.foot a{display:none}}
    """
}
