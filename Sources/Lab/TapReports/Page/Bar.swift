internal import DisplayText
internal import Octets

/// A bar to scale: segments on an axis from 0. It has no text, so that it can have any width.
struct Bar {
  struct Segment {
    /// The class in the style.
    let kind: Kind
    let start: Int64
    let length: Int64
  }

  /// The part of a tap that a time belongs to. Each has a colour and a pattern of its own.
  enum Kind: String, CaseIterable {
    case card, link, air, reader, host, terminal
    /// Card and link, which a reader cannot tell apart.
    case both

    /// The words of the key.
    var words: String { self == .both ? "card and link" : rawValue }
  }

  /// The end of the axis, in nanoseconds.
  let end: Int64
  let segments: [Segment]
  /// Times at which a line is drawn.
  var marks: [Int64] = []
  /// What the bar shows, for screen readers.
  let label: String

  var svg: HTML {
    let parts = segments.map { segment -> HTML in
      let (start, length) = (place(segment.start), place(segment.start + segment.length) - place(segment.start))
      return """
        <rect class="\(segment.kind.rawValue)" x="\(Percent(start).text)" y="0" width="\(Percent(length).text)" height="100%"/>
        """
    }
    let lines = marks.map { mark -> HTML in
      let x = Percent(place(mark)).text
      return "<line class=\"mark\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"100%\"/>"
    }
    return "<svg class=\"bar\" role=\"img\" aria-label=\"\(label)\">\(parts)\(lines)</svg>"
  }

  /// The patterns of the kinds: lines for the link and the air, dots for the terminal, a grid for the
  /// reader and rows for its line, so that a bar can be read without colours.
  static let patterns: HTML = """
    <svg class="patterns" aria-hidden="true"><defs>
    <pattern id="lines" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
    <rect class="under" width="6" height="6"/><rect class="over" width="3" height="6"/></pattern>
    <pattern id="dots" width="6" height="6" patternUnits="userSpaceOnUse">\
    <rect class="under" width="6" height="6"/><circle class="over" cx="3" cy="3" r="1.8"/></pattern>
    <pattern id="grid" width="6" height="6" patternUnits="userSpaceOnUse">\
    <rect class="under" width="6" height="6"/><path class="over" d="M0 0h6v2h-4v4h-2z"/></pattern>
    <pattern id="rows" width="6" height="6" patternUnits="userSpaceOnUse">\
    <rect class="under" width="6" height="6"/><rect class="over" width="6" height="3"/></pattern></defs></svg>

    """

  /// The key to some kinds.
  static func key(_ kinds: [Kind]) -> HTML {
    let items = kinds.map { kind -> HTML in
      """
      <span><svg aria-hidden="true"><rect class="\(kind.rawValue)" width="100%" height="100%"/></svg>\(kind.words)</span>
      """
    }
    return "<p class=\"key dim\">\(items)</p>\n"
  }

  /// A place on the axis in hundredths of a percent.
  private func place(_ time: Int64) -> Int {
    Int((Double(min(max(time, 0), end)) / Double(max(end, 1)) * 10_000).rounded())
  }
}

/// A place or a width in a picture, in percent of its width.
struct Percent {
  private let hundredths: Int

  /// - Parameter hundredths: Hundredths of a percent, 0 or more.
  init(_ hundredths: Int) { self.hundredths = hundredths }

  /// Such as `12.50%`.
  var text: String {
    let part = hundredths % 100
    return "\(hundredths / 100).\(part < 10 ? "0" : "")\(part)%"
  }
}
