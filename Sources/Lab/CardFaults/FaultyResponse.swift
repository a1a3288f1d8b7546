internal import ISO7816
internal import Octets

/// A response that faults change. Pure: every method changes the response, or returns false and leaves it as it is.
struct FaultyResponse {
  /// The most data of a response, in bytes (ISO/IEC 7816-3:2006, 12.1.1: short Le).
  static let maximumDataCount = 256

  var data: [UInt8]
  var status: StatusWord

  /// The position of a data object.
  struct Place {
    let tag: Tag
    let tagOffset: Int
    let value: Range<Int>

    var lengthOffset: Int { tagOffset + tag.octetCount }
  }

  /// Whether the response has a data object with a tag.
  func holds(_ tag: Tag) -> Bool { places.contains { $0.tag == tag } }

  /// All data objects up to the first unreadable one, each template before its data objects.
  var places: [Place] {
    var found: [Place] = []
    Self.walk(data.span, 0..<data.count, depth: 1, &found)
    return found
  }

  private static func walk(_ octets: Span<UInt8>, _ range: Range<Int>, depth: Int, _ found: inout [Place]) {
    var reader = TLVReader(octets.extracting(range), origin: range.lowerBound)
    while let header = (try? reader.next()) ?? nil {
      found.append(Place(tag: header.tag, tagOffset: header.offset, value: header.value))
      if header.tag.isConstructed, depth < TLVRules.lenient.maximumDepth {
        walk(octets, header.value, depth: depth + 1, &found)
      }
    }
  }

  /// The data object that a fault changes: the first with the tag, or one that the seed chooses.
  private func target(_ tag: Tag?, _ generator: inout SplitMix64) -> Place? {
    let places = places
    if let tag { return places.first { $0.tag == tag } }
    return places.isEmpty ? nil : places[Int(generator.next() % UInt64(places.count))]
  }

  /// Makes a tag or a length unreadable.
  mutating func malform(_ tag: Tag?, _ generator: inout SplitMix64) -> Bool {
    guard let place = target(tag, &generator) else { return false }
    switch generator.next() % 3 {
    case 0: data[place.lengthOffset] = 0x80
    case 1: data[place.lengthOffset] = 0x80 | UInt8(TLVReader.maximumLengthCount + 1)
    default:
      data[place.tagOffset] |= 0x1F
      for offset in place.tagOffset + 1..<min(place.tagOffset + TLVReader.maximumTagCount, data.count) {
        data[offset] |= 0x80
      }
    }
    return true
  }

  /// Makes a length larger or smaller; the length keeps its form.
  mutating func misstate(_ tag: Tag?, by change: Int, _ generator: inout SplitMix64) -> Bool {
    guard let place = target(tag, &generator) else { return false }
    let isShort = data[place.lengthOffset] < 0x80
    let last = isShort ? place.lengthOffset : place.value.lowerBound - 1
    let changed = UInt8(truncatingIfNeeded: Int(data[last]) + change)
    data[last] = isShort ? changed & 0x7F : changed
    return true
  }

  /// Removes bytes at the end of the data. Returns false when there are no data.
  mutating func truncate(_ count: Int) -> Bool {
    guard !data.isEmpty else { return false }
    data.removeLast(min(count, data.count))
    return true
  }

  /// Repeats a primitive data object: `times` is 2, or 0 to remove it.
  mutating func repeatObject(_ tag: Tag?, times: Int, _ generator: inout SplitMix64) -> Bool {
    guard (try? [TLVNode](parsing: data.span)) != nil else { return false }
    let primitive = places.map(\.tag).filter { !$0.isConstructed }
    guard let target = tag ?? (primitive.isEmpty ? nil : primitive[Int(generator.next() % UInt64(primitive.count))])
    else { return false }
    return replaceFirst(target) { Array(repeating: $0, count: times) }
  }
}
