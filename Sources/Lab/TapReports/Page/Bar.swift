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

  /// The part of a tap that a time belongs to.
  enum Kind: String {
    case card, link, terminal
    /// Card and link, which a reader cannot tell apart.
    case both

    /// The words of the key.
    var words: String { self == .both ? "card and link" : rawValue }
  }

  private static let width = 100_000

  /// The end of the axis, in nanoseconds.
  let end: Int64
  let segments: [Segment]
  /// Times at which a line is drawn.
  var marks: [Int64] = []
  /// What the bar shows, for screen readers.
  let label: String

  var svg: HTML {
    let parts = segments.map { segment -> HTML in
      let (x, to) = (place(segment.start), place(segment.start + segment.length))
      return "<rect class=\"\(segment.kind.rawValue)\" x=\"\(x)\" y=\"0\" width=\"\(to - x)\" height=\"10\"/>"
    }
    let lines = marks.map { "<path class=\"mark\" d=\"M\(place($0)) 0V10\"/>" as HTML }
    return """
      <svg viewBox="0 0 \(Self.width) 10" preserveAspectRatio="none" role="img" aria-label="\(label)">\(parts)\(lines)</svg>
      """
  }

  /// The key to the colours of some kinds.
  static func key(_ kinds: [Kind]) -> HTML {
    let items = kinds.map { kind -> HTML in
      """
      <span><svg viewBox="0 0 1 1" aria-hidden="true"><rect class="\(kind.rawValue)" width="1" height="1"/></svg>\(kind.words)</span>
      """
    }
    return "<p class=\"key dim\">\(items)</p>\n"
  }

  private func place(_ time: Int64) -> Int {
    Int((Double(min(max(time, 0), end)) / Double(max(end, 1)) * Double(Self.width)).rounded())
  }
}
