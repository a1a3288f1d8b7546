internal import EMVData
internal import ISO7816
internal import Octets

/// Decodes data objects and list values up to the first error.
struct DecodedObjects {
  /// The whole input, to whose start all offsets refer.
  let octets: [UInt8]
  let style: DecodedStyle
  /// The half bytes that belong to an account number or a name.
  private let hidden: [Int]

  init(octets: [UInt8], style: DecodedStyle) {
    self.octets = octets
    self.style = style
    hidden = style.hidden.places(in: octets).sorted()
  }

  /// The half bytes of a range that are hidden, counted from its start.
  func hidden(in range: Range<Int>) -> Set<Int> {
    guard !hidden.isEmpty else { return [] }
    let places = range.lowerBound * 2..<range.upperBound * 2
    return Set(hidden[first(from: places.lowerBound)..<first(from: places.upperBound)].map { $0 - places.lowerBound })
  }

  /// The index of the first hidden half byte at or after a place. Long input has many of them.
  private func first(from place: Int) -> Int {
    var (low, high) = (0, hidden.count)
    while low < high {
      let middle = (low + high) / 2
      if hidden[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the data objects in a range, then a fault when they are malformed.
  func objects(in range: Range<Int>, depth: Int = 1) -> [DecodedNode] {
    var nodes: [DecodedNode] = []
    var end = range.lowerBound
    var reader = TLVReader(octets.span.extracting(range), origin: range.lowerBound)
    do throws(TLVError) {
      while let header = try reader.next() {
        nodes.append(object(header.tag, header.offset..<header.value.upperBound, header.value, depth))
        end = header.value.upperBound
      }
    } catch {
      nodes += broken(error, in: end..<range.upperBound, depth)
    }
    return nodes
  }

  private func object(_ tag: Tag, _ range: Range<Int>, _ content: Range<Int>, _ depth: Int) -> DecodedNode {
    guard tag.isConstructed else { return leaf(tag, range, content) }
    let children =
      depth < TLVRules.lenient.maximumDepth
      ? objects(in: content, depth: depth + 1)
      : [fault(TLVError(.tooDeep(limit: TLVRules.lenient.maximumDepth), at: range.lowerBound), content)]
    return DecodedNode(
      .object, style.label(tag), tag: tag, range: range, content: content, children: children)
  }

  /// Returns a value without parts: that of a primitive data object or of an entry of a list.
  func leaf(_ tag: Tag, _ range: Range<Int>, _ content: Range<Int>) -> DecodedNode {
    let value = Array(octets[content])
    let hidden = hidden(in: content)
    return DecodedNode(
      tag == .pinData ? .secret : .object, style.label(tag), style.text(tag, value, hiding: hidden),
      details: style.details(tag, value, hiding: hidden), tag: tag, range: range, content: content)
  }

  /// Returns the nodes of a malformed data object. A value that is cut off is shown up to the end of the input.
  private func broken(_ error: TLVError, in rest: Range<Int>, _ depth: Int) -> [DecodedNode] {
    let start = octets[rest].firstIndex { $0 != 0x00 && $0 != 0xFF } ?? rest.lowerBound
    let whole = start..<rest.upperBound
    guard case .valueTooLong(_, let available) = error.code, let tag = Tag(prefixOf: octets[whole]) else {
      return unencodedLength(error, whole, depth) ?? [fault(error, whole)]
    }
    let cut = object(tag, whole, rest.upperBound - available..<rest.upperBound, depth)
    return [cut, fault(error, rest.upperBound..<rest.upperBound)]
  }

  /// Returns the nodes of a known template whose length above 127 is written in one byte, as some programs and test cards
  /// do; nil for other bytes.
  private func unencodedLength(_ error: TLVError, _ whole: Range<Int>, _ depth: Int) -> [DecodedNode]? {
    guard case .lengthTooLong = error.code, let tag = Tag(prefixOf: octets[whole]), tag.isConstructed,
      DataElement.named(tag) != nil
    else { return nil }
    let start = whole.lowerBound + tag.octetCount + 1
    guard start < whole.upperBound else { return nil }
    let length = octets[start - 1]
    let end = min(start + Int(length), whole.upperBound)
    let content = object(tag, whole.lowerBound..<end, start..<end, depth)
    guard content.children.contains(where: { $0.tag.flatMap { DataElement.named($0) } != nil }) else { return nil }
    let reason =
      "the length \(length.hex) at offset \(start - 1) is not BER: a length above 127 begins with 81, as in 81\(length.hex). "
      + "It is taken for \(Int(length).bytes), and \((whole.upperBound - start).bytes) follow"
    return [content, DecodedNode(.fault, "malformed", reason, range: whole.upperBound..<whole.upperBound)]
  }

  private func fault(_ error: TLVError, _ range: Range<Int>) -> DecodedNode {
    DecodedNode(.fault, "malformed", "\(error)", range: range)
  }

  /// Returns the concatenated values of a data object list.
  func values(of list: DataObjectList, in range: Range<Int>) -> [DecodedNode] {
    var nodes: [DecodedNode] = []
    var offset = range.lowerBound
    for entry in list.entries {
      let end = offset + entry.count
      guard end <= range.upperBound else {
        let sentence = "\(entry.tag) has \(entry.count.bytes) in the list, but \(range.upperBound - offset) are left"
        nodes.append(DecodedNode(.fault, "cut off", sentence, range: offset..<range.upperBound))
        return nodes
      }
      nodes.append(leaf(entry.tag, offset..<end, offset..<end))
      offset = end
    }
    if offset < range.upperBound { nodes.append(unexplained("left over", offset..<range.upperBound)) }
    return nodes
  }

  /// Bytes of no known structure.
  func unexplained(_ label: String, _ range: Range<Int>) -> DecodedNode {
    DecodedNode(.octets, label, text(range), range: range)
  }

  /// Bytes in hexadecimal, without what is hidden.
  func text(_ range: Range<Int>) -> String {
    style.text(Array(octets[range]), hiding: hidden(in: range))
  }
}
