internal import Octets

/// One element of the scheme UAFV1TLV: tag and length in 16 bits each, least significant byte first, then the value (FIDO UAF
/// Authenticator Commands 1.1, section 4).
public struct UAFElement: Hashable, Sendable {
  /// The tag.
  public let tag: UAFTag
  /// The value, at most 65535 bytes.
  public let value: [UInt8]

  /// Creates an element. Traps when the value is longer than 65535 bytes.
  public init(_ tag: UAFTag, _ value: [UInt8]) {
    precondition(value.count <= Int(UInt16.max), "the value of an element has at most 65535 bytes")
    (self.tag, self.value) = (tag, value)
  }

  /// Creates a composite element.
  public init(_ tag: UAFTag, _ elements: [UAFElement]) {
    self.init(tag, elements.flatMap(\.encoded))
  }

  /// The element with its tag and length. A signature covers exactly these bytes.
  public var encoded: [UInt8] { littleEndian(tag.rawValue) + littleEndian(UInt16(value.count)) + value }

  /// Reads elements up to the end of the bytes.
  ///
  /// - Throws: `AssertionError` for a length beyond the end, and for an unknown critical tag.
  public static func elements(of octets: [UInt8]) throws(AssertionError) -> [UAFElement] {
    var elements: [UAFElement] = []
    var rest = octets[...]
    while !rest.isEmpty {
      guard rest.count >= 4 else {
        throw AssertionError(.unacceptableContent, "\(rest.count.bytes) are left: tag and length have 4")
      }
      let tag = UAFTag(rawValue: UInt16(littleEndian: rest.prefix(2)))
      let count = Int(UInt16(littleEndian: rest.dropFirst(2).prefix(2)))
      rest = rest.dropFirst(4)
      guard rest.count >= count else {
        throw AssertionError(.unacceptableContent, "\(tag) has \(count.bytes), of which \(rest.count) are present")
      }
      if tag.isCritical, !UAFTag.known.contains(tag) {
        throw AssertionError(.unacceptableContent, "\(tag) is critical and unknown")
      }
      elements.append(UAFElement(tag, Array(rest.prefix(count))))
      rest = rest.dropFirst(count)
    }
    return elements
  }
}

/// The elements of a composite value, of which each may occur once. Their order does not matter.
struct UAFElements {
  private let owner: UAFTag
  private let elements: [UAFElement]

  init(of element: UAFElement) throws(AssertionError) {
    owner = element.tag
    elements = try UAFElement.elements(of: element.value)
  }

  func all(_ tag: UAFTag) -> [UAFElement] { elements.filter { $0.tag == tag } }

  func optional(_ tag: UAFTag) throws(AssertionError) -> UAFElement? {
    let found = all(tag)
    guard found.count < 2 else {
      throw AssertionError(.unacceptableContent, "\(owner) contains \(tag) \(found.count) times")
    }
    return found.first
  }

  func required(_ tag: UAFTag) throws(AssertionError) -> UAFElement {
    guard let element = try optional(tag) else {
      throw AssertionError(.unacceptableContent, "\(owner) does not contain \(tag)")
    }
    return element
  }

  /// A value of a permitted size.
  func value(_ tag: UAFTag, _ counts: ClosedRange<Int>) throws(AssertionError) -> [UInt8] {
    let value = try required(tag).value
    guard counts.contains(value.count) else {
      let limits =
        counts.count == 1 ? "\(counts.lowerBound) are" : "\(counts.lowerBound) to \(counts.upperBound) are"
      throw AssertionError(.unacceptableContent, "\(tag) has \(value.count.bytes): \(limits) required")
    }
    return value
  }

  func value(_ tag: UAFTag, _ count: Int) throws(AssertionError) -> [UInt8] { try value(tag, count...count) }

  /// The extensions of the composite value.
  ///
  /// - Throws: `AssertionError`: this library knows no extension.
  func checkExtensions() throws(AssertionError) {
    for element in all(.criticalExtension) + all(.ignorableExtension) {
      let parts = try UAFElements(of: element)
      _ = try parts.value(.extensionID, 1...32)
      _ = try parts.required(.extensionData)
      guard element.tag == .ignorableExtension else {
        throw AssertionError(.unacceptableContent, "an extension that must be known is unknown")
      }
    }
  }
}

func littleEndian(_ value: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
  value.bigEndianOctets.reversed()
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// Reads bytes, least significant first. Traps when they are more than the width holds.
  init(littleEndian octets: some BidirectionalCollection<UInt8>) {
    guard let value = Self(bigEndian: octets.reversed()) else {
      preconditionFailure("the bytes do not fit the number")
    }
    self = value
  }
}
