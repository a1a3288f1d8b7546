import DisplayText
import Octets

extension SequenceDiagram {
  private static let columnWidth = 200
  private static let rowHeight = 44
  private static let headHeight = 56

  /// The diagram as one page that loads nothing.
  var html: HTML {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><title>Messages</title>
    <meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
    <style>\(Self.style)</style></head>
    <body><h1>Messages</h1>
    <p>\(messages.count) messages between \(parts.count) parts, the first on top. A broken line was refused.</p>
    <figure tabindex="0">\(svg)</figure>
    </body></html>

    """
  }

  private static let style: HTML = """
    :root{color-scheme:light dark;--back:#f6f7f9;--card:#fff;--text:#16191d;--dim:#5a626c;--line:#c6ccd3;--accent:#0b57d0;
    --bad:#a3211a}
    @media (prefers-color-scheme:dark){:root{--back:#121417;--card:#1c1f24;--text:#e7eaee;--dim:#a0a8b2;--line:#454c55;
    --accent:#8ab4f8;--bad:#ff9c92}}
    body{margin:0;padding:1rem;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
    h1{font-size:1.5rem;margin:0}p{color:var(--dim);margin:.25rem 0 1rem}
    figure{margin:0;padding:.5rem;overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
    svg{display:block;font:13px system-ui,sans-serif}
    text{fill:var(--text)}.part{font-weight:600}.life{stroke:var(--line)}.arrow{stroke:var(--accent);stroke-width:1.5}
    .head{fill:var(--accent)}.refused .arrow{stroke:var(--bad);stroke-dasharray:5 4}.refused .head{fill:var(--bad)}
    .refused text{fill:var(--bad)}
    """

  private var svg: HTML {
    let width = max(parts.count, 1) * Self.columnWidth
    let height = Self.headHeight + messages.count * Self.rowHeight + 16
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
      role="img" aria-label="Sequence diagram">
      \(parts.indices.map { lifeline($0, height) })
      \(messages.indices.map(arrow))
      </svg>
      """
  }

  private func center(_ column: Int) -> Int { column * Self.columnWidth + Self.columnWidth / 2 }

  private func lifeline(_ column: Int, _ height: Int) -> HTML {
    let x = center(column)
    return """
      <text class="part" x="\(x)" y="24" text-anchor="middle">\(parts[column])</text>\
      <line class="life" x1="\(x)" y1="36" x2="\(x)" y2="\(height)"/>
      """
  }

  private func arrow(_ row: Int) -> HTML {
    let message = messages[row]
    let (start, end) = (center(column(of: message.sender)), center(column(of: message.receiver)))
    let y = Self.headHeight + row * Self.rowHeight + 26
    let kind: HTML = message.isRefused ? " class=\"refused\"" : .empty
    let tail = start <= end ? end - 8 : end + 8
    return """
      <g\(kind)><text x="\((start + end) / 2)" y="\(y - 8)" \
      text-anchor="middle">\(message.text)</text><line class="arrow" x1="\(start)" y1="\(y)" x2="\(tail)" \
      y2="\(y)"/><path class="head" d="M\(end) \(y)L\(tail) \(y - 4)V\(y + 4)Z"/></g>
      """
  }
}
