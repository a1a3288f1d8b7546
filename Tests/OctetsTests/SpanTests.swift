import Octets
import Testing

@Suite("Spans, arenas and checked copies")
struct SpanTests {
  @Test(arguments: [0, 1, 258, 65538])
  func `an arena holds its bytes and may be empty`(_ count: Int) {
    let octets = SeededRandomSource(seed: 3).octets(count)
    let arena = Arena(octets)
    let held = arena.octets.array
    #expect(held == octets)
  }

  static let pairs: [([UInt8], [UInt8], same: Bool, starts: Bool)] = [
    ([1, 2, 3], [1, 2, 3], true, true), ([1, 2, 3], [1, 2, 4], false, false), ([1, 2, 3], [1, 2], false, true),
    ([1, 2, 3], [], false, true), ([1, 2, 3], [2], false, false), ([1, 2, 3], [1, 2, 3, 4], false, false),
    ([], [], true, true), ([], [0], false, false),
  ]

  @Test(arguments: pairs)
  func `spans compare by content and length`(_ left: [UInt8], _ right: [UInt8], _ same: Bool, _ starts: Bool) {
    let (isSame, begins) = (left.span.holdsSame(as: right.span), left.span.starts(with: right.span))
    #expect(isSame == same)
    #expect(begins == starts)
  }

  @Test func `spans of every length up to 40 differ when any one byte does`() {
    for count in 0...40 {
      let left = [UInt8](repeating: 0x5A, count: count)
      let isSame = left.span.holdsSame(as: left.span)
      #expect(isSame)
      for position in 0..<count {
        var right = left
        right[position] ^= 0x01
        let longer = left + [0]
        let (differs, begins) = (!left.span.holdsSame(as: right.span), longer.span.starts(with: right.span))
        #expect(differs && !begins, "octet \(position) of \(count)")
      }
    }
  }

  @Test func `an integer is loaded from any offset, and beyond the end the load traps`() async {
    let octets: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09]
    let (word, half) = (octets.span.integer(at: 1, as: UInt64.self), octets.span.integer(at: 7, as: UInt16.self))
    #expect(word == 0x0203_0405_0607_0809)
    #expect(half == 0x0809)
    await #expect(processExitsWith: .failure) {
      let octets: [UInt8] = [0x01, 0x02, 0x03]
      _ = octets.span.integer(at: 0, as: UInt32.self)
    }
    await #expect(processExitsWith: .failure) {
      let octets: [UInt8] = [0x01, 0x02, 0x03]
      _ = octets.span.integer(at: -1, as: UInt16.self)
    }
  }

  @Test func `an integer of any length is loaded up to the last byte, and beyond it the load traps`() async {
    let octets = (1...12).map { UInt8($0) }
    for count in 1...8 {
      for offset in 0...12 - count {
        let expected = UInt64(bigEndian: octets[offset..<offset + count])
        let loaded = octets.span.integer(at: offset, count: count)
        #expect(loaded == expected)
      }
    }
    await #expect(processExitsWith: .failure) {
      let octets: [UInt8] = [0x01, 0x02, 0x03]
      _ = octets.span.integer(at: 1, count: 3)
    }
    await #expect(processExitsWith: .failure) {
      let octets: [UInt8] = [0x01, 0x02, 0x03]
      _ = octets.span.integer(at: 0, count: 9)
    }
  }

  @Test func `a part of a span lies inside the span`() async {
    let octets: [UInt8] = [1, 2, 3, 4]
    let (part, end) = (octets.span.part(at: 1, count: 2).array, octets.span.part(at: 4, count: 0).array)
    #expect(part == [2, 3])
    #expect(end == [])
    await #expect(processExitsWith: .failure) {
      let octets: [UInt8] = [1, 2, 3, 4]
      _ = octets.span.part(at: 2, count: 3).count
    }
    await #expect(processExitsWith: .failure) {
      let octets: [UInt8] = [1, 2, 3, 4]
      _ = octets.span.part(at: -1, count: 2).count
    }
    await #expect(processExitsWith: .failure) {
      let octets: [UInt8] = [1, 2, 3, 4]
      _ = octets.span.part(at: 1, count: -1).count
    }
  }

  @Test func `a slice of an arena is read inside the arena only`() async {
    let arena = Arena([1, 2, 3, 4])
    let part = arena[ArenaSlice(offset: 1, count: 3)].array
    let end = arena[ArenaSlice(offset: 4, count: 0)].array
    #expect(part == [2, 3, 4])
    #expect(end == [])
    await #expect(processExitsWith: .failure) {
      let arena = Arena([1, 2, 3, 4])
      _ = arena[ArenaSlice(offset: 2, count: 3)].count
    }
    await #expect(processExitsWith: .failure) { _ = ArenaSlice(offset: 65_536, count: 0) }
  }

  @Test func `copying and storing write only to their range`() {
    let (some, none): ([UInt8], [UInt8]) = ([1, 2, 3], [])
    var octets = [UInt8](repeating: 0xEE, count: 8)
    octets.withMutableOctets { room in
      room.copy(some.span, to: 1)
      room.put(UInt16(0x9000), at: 6)
      room.copy(none.span, to: 8)
    }
    #expect(octets.hex == "EE010203EEEE9000")
    octets.withMutableOctets { $0.put(UInt8(0x7F), at: 0) }
    octets.withMutableOctets { $0.put(UInt32(0xDEAD_BEEF), at: 2) }
    #expect(octets.hex == "7F01DEADBEEF9000")
  }

  @Test func `writing to the last byte succeeds and writing beyond it traps`() async {
    let source: [UInt8] = [5]
    var octets: [UInt8] = [0, 0]
    octets.withMutableOctets { $0.copy(source.span, to: 1) }
    #expect(octets == [0, 5])
    await #expect(processExitsWith: .failure) {
      var octets: [UInt8] = [0, 0]
      let source: [UInt8] = [5, 6]
      octets.withMutableOctets { $0.copy(source.span, to: 1) }
    }
    await #expect(processExitsWith: .failure) {
      var octets: [UInt8] = [0, 0]
      let source: [UInt8] = [5]
      octets.withMutableOctets { $0.copy(source.span, to: -1) }
    }
    await #expect(processExitsWith: .failure) {
      var octets: [UInt8] = [0, 0]
      octets.withMutableOctets { $0.put(UInt16(1), at: 1) }
    }
  }

  @Test func `errors are sentences with position and value`() {
    let errors: [(OctetsError, String)] = [
      (OctetsError(.truncated(needed: 4, available: 1), at: 7), "input ends at offset 7: 4 bytes needed, 1 left"),
      (OctetsError(.trailing(count: 2), at: 5), "2 bytes left over at offset 5"),
      (OctetsError(.notHexadecimal("z"), at: 3), "character 3 is \"z\", which is not a hexadecimal digit"),
      (OctetsError(.oddDigitCount(5), at: 5), "5 hexadecimal digits: an even number is needed"),
      (OctetsError(.notDecimal(nibble: 12), at: 1), "offset 1 holds nibble C, which is not a decimal digit"),
      (OctetsError(.decimalTooLarge, at: 9), "the decimal number exceeds 64 bits at offset 9"),
    ]
    for (error, sentence) in errors { #expect(error.description == sentence) }
  }
}
