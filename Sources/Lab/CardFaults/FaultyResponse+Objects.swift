internal import ISO7816

// Changes of data objects that keep the response readable: the lengths of the templates are right afterwards.
extension FaultyResponse {
  /// Gives the first data object with a tag another value. Returns false without such an object, and for a response that
  /// would be too long.
  mutating func setValue(of tag: Tag?, to value: [UInt8]) -> Bool {
    guard let tag else { return false }
    return replaceFirst(tag) { _ in [TLVNode(tag, value)] }
  }

  /// Adds data objects behind the first one with a tag, or at the end of the outermost template without a tag.
  mutating func add(_ objects: [UInt8], behind tag: Tag?) -> Bool {
    guard let added = try? [TLVNode](parsing: objects.span), let first = places.first?.tag else { return false }
    if let tag { return replaceFirst(tag) { [$0] + added } }
    guard first.isConstructed else { return false }
    return replaceFirst(first) { [TLVNode($0.tag, $0.children + added)] }
  }

  mutating func replaceFirst(_ tag: Tag, _ change: (TLVNode) -> [TLVNode]) -> Bool {
    guard let nodes = try? [TLVNode](parsing: data.span) else { return false }
    var isDone = false
    let changed = Self.replacing(tag, in: nodes, &isDone, change).encoded
    guard isDone, changed.count <= Self.maximumDataCount else { return false }
    data = changed
    return true
  }

  private static func replacing(
    _ tag: Tag, in nodes: [TLVNode], _ isDone: inout Bool, _ change: (TLVNode) -> [TLVNode]
  ) -> [TLVNode] {
    nodes.flatMap { node -> [TLVNode] in
      if isDone { return [node] }
      if node.tag == tag {
        isDone = true
        return change(node)
      }
      guard node.tag.isConstructed else { return [node] }
      return [TLVNode(node.tag, replacing(tag, in: node.children, &isDone, change))]
    }
  }
}
