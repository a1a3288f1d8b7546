internal import Octets

/// A data object with its content as a value, for terminals, tools and tests.
public struct TLVNode: Hashable, Sendable {
  /// The content of a data object.
  public enum Content: Hashable, Sendable {
    /// The bytes of a primitive data object.
    case primitive([UInt8])
    /// The data objects of a template.
    case constructed([TLVNode])
  }

  /// The tag.
  public let tag: Tag
  /// The value.
  public let content: Content

  /// Creates a primitive data object.
  public init(_ tag: Tag, _ value: [UInt8]) {
    self.tag = tag
    content = .primitive(value)
  }

  /// Creates a template.
  public init(_ tag: Tag, _ children: [TLVNode]) {
    self.tag = tag
    content = .constructed(children)
  }

  /// The data objects of a template; empty for a primitive one.
  public var children: [TLVNode] {
    if case .constructed(let nodes) = content { nodes } else { [] }
  }

  /// The bytes of the value; for a template, its encoded data objects.
  public var value: [UInt8] {
    switch content {
    case .primitive(let octets): octets
    case .constructed(let nodes): nodes.flatMap(\.encoded)
    }
  }

  /// The bytes for the wire, with the length in its shortest form.
  public var encoded: [UInt8] {
    let value = value
    return tag.encoded + Self.length(value.count) + value
  }

  /// The first data object with a tag, at any depth, in the order of the wire.
  public func first(_ tag: Tag) -> TLVNode? {
    self.tag == tag ? self : children.first(tag)
  }

  static func length(_ count: Int) -> [UInt8] {
    if count < 0x80 { return [UInt8(count)] }
    let octets = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> $0) }
    let significant = Array(octets.drop { $0 == 0 })
    return [0x80 | UInt8(significant.count)] + significant
  }
}

extension [TLVNode] {
  /// Reads a whole input as a sequence of data objects, templates included.
  ///
  /// - Throws: `TLVError` with the offset of the first error from the start of the input.
  public init(parsing octets: Span<UInt8>, rules: TLVRules = .lenient) throws(TLVError) {
    try self.init(octets, 0..<octets.count, depth: 1, rules)
  }

  private init(_ octets: Span<UInt8>, _ range: Range<Int>, depth: Int, _ rules: TLVRules) throws(TLVError) {
    self = []
    var reader = TLVReader(octets.extracting(range), rules: rules, origin: range.lowerBound)
    while let header = try reader.next() {
      guard header.isConstructed else {
        append(TLVNode(header.tag, octets.extracting(header.value).array))
        continue
      }
      guard depth < rules.maximumDepth else { throw TLVError(.tooDeep(limit: rules.maximumDepth), at: header.offset) }
      append(TLVNode(header.tag, try [TLVNode](octets, header.value, depth: depth + 1, rules)))
    }
  }

  /// The first data object with a tag, at any depth, in the order of the wire.
  public func first(_ tag: Tag) -> TLVNode? {
    for node in self {
      if let found = node.first(tag) { return found }
    }
    return nil
  }

  /// The bytes for the wire.
  public var encoded: [UInt8] { flatMap(\.encoded) }
}
