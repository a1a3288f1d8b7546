internal import EMVData
public import ISO7816

/// A part of an APDU, of a data object or of a list: where it lies and what it says, for people.
///
/// Decoding never fails. What is unknown is shown as it is; where the input goes wrong stands a node of kind
/// `.fault`, and everything well-formed before it is there.
public struct DecodedNode: Equatable, Sendable, CustomStringConvertible {
  /// What a node stands for.
  public enum Kind: Equatable, Sendable {
    /// A field of an APDU or of an answer to reset, such as P1, Lc or SW.
    case field
    /// A group of others: a whole command, its data, a whole input.
    case group
    /// A data object, or a value that a data object list names.
    case object
    /// Octets that nothing here explains.
    case octets
    /// Where the input goes wrong; the text says how.
    case fault
    /// A PIN or a key: its octets are never shown.
    case secret
  }

  /// What the node stands for.
  public let kind: Kind
  /// The tag of an object, or nil.
  public let tag: Tag?
  /// What the node is called: `P1`, `9F37 Unpredictable Number`, `GPO data`.
  public let label: String
  /// The value in words; empty where the parts say it all. Cardholder data are masked unless asked otherwise.
  public let text: String
  /// What the value means: names of bits, entries of a list.
  public let details: [String]
  /// All octets of the node, tag and length included, counted from the start of the input.
  public let range: Range<Int>
  /// The octets of the value, counted from the start of the input.
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

  /// The nodes around an octet, from the one below this to the deepest.
  public func path(to offset: Int) -> [DecodedNode] {
    guard let child = children.first(where: { $0.range.contains(offset) }) else { return [] }
    return [child] + child.path(to: offset)
  }

  /// This node and all below it, in order.
  public var all: [DecodedNode] { [self] + children.flatMap(\.all) }

  /// The deepest nodes, in order: each octet of the input lies in one of them at most, except in what is padding.
  public var leaves: [DecodedNode] { children.isEmpty ? [self] : children.flatMap(\.leaves) }

  /// The first place where the input goes wrong, or nil when all of it is well-formed.
  public var fault: DecodedNode? { all.first { $0.kind == .fault } }
}
