public import ISO7816

/// A decoded part of an APDU, a data object or a list: its place and its meaning in words.
///
/// Decoding never fails. Unknown bytes are shown in hexadecimal. Malformed input gives a node of kind `.fault` at the
/// place of the error, after the nodes of everything well-formed before it.
public struct DecodedNode: Equatable, Sendable, CustomStringConvertible {
  /// The kinds of node.
  public enum Kind: Equatable, Sendable {
    /// A field of an APDU or of an answer to reset, such as P1, Lc or SW.
    case field
    /// A group of nodes: a whole command, its data, a whole input.
    case group
    /// A data object, or a value that a data object list names.
    case object
    /// Bytes of unknown meaning.
    case octets
    /// Malformed input; `text` gives the reason.
    case fault
    /// A PIN or a key: its bytes are never shown.
    case secret
  }

  /// The kind of the node.
  public let kind: Kind
  /// The tag of an object, or nil.
  public let tag: Tag?
  /// The name of the node: `P1`, `9F37 Unpredictable Number`, `GPO data`.
  public let label: String
  /// The value in words; empty when the children show it. Cardholder data are masked by default.
  public let text: String
  /// The meaning of the value: names of bits, entries of a list.
  public let details: [String]
  /// The bytes of the node including tag and length, as offsets from the start of the input.
  public let range: Range<Int>
  /// The bytes of the value, as offsets from the start of the input.
  public let content: Range<Int>
  /// The parts, in order.
  public internal(set) var children: [DecodedNode]

  init(
    _ kind: Kind, _ label: String, _ text: String = "", details: [String] = [], tag: Tag? = nil, range: Range<Int>,
    content: Range<Int>? = nil, children: [DecodedNode] = []
  ) {
    self.kind = kind
    self.tag = tag
    self.label = label
    self.text = text
    self.details = details
    self.range = range
    self.content = content ?? range
    self.children = children
  }

  /// One line for the node and one for each part below it, two spaces deeper for each level.
  public var lines: [String] { lines(indentation: 0) }

  private func lines(indentation: Int) -> [String] {
    let margin = String(repeating: "  ", count: indentation)
    return [margin + title] + details.map { margin + "  " + $0 }
      + children.flatMap { $0.lines(indentation: indentation + 1) }
  }

  /// The label and the value in words, without the parts.
  public var title: String { text.isEmpty ? label : "\(label): \(text)" }

  /// All lines.
  public var description: String { lines.joined(separator: "\n") }

  /// The nodes that contain a byte, from a child of this node to the deepest one.
  public func path(to offset: Int) -> [DecodedNode] {
    guard let child = children.first(where: { $0.range.contains(offset) }) else { return [] }
    return [child] + child.path(to: offset)
  }

  /// This node and all below it, in order.
  public var all: [DecodedNode] { [self] + children.flatMap(\.all) }

  /// The nodes without children, in order. No byte of the input belongs to two of them; padding belongs to none.
  public var leaves: [DecodedNode] { children.isEmpty ? [self] : children.flatMap(\.leaves) }

  /// The first node of malformed input, or nil when the whole input is well-formed.
  public var fault: DecodedNode? {
    if kind == .fault { return self }
    for child in children {
      if let fault = child.fault { return fault }
    }
    return nil
  }
}
