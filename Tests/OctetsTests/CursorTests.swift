import Octets
import Testing

@Suite("Cursor")
struct CursorTests {
  /// A read that the table performs at the first of three bytes, 01 02 03.
  enum Read: String, CaseIterable, Sendable {
    case octet, uint16, takeNone, takeAll, skipTwo, takeTooMany, takeNegative, skipHuge

    func run(_ cursor: inout Cursor) throws(OctetsError) -> [UInt8] {
      switch self {
      case .octet: return [try cursor.octet()]
      case .uint16:
        let value = try cursor.uint16()
        return [UInt8(value >> 8), UInt8(value & 0xFF)]
      case .takeNone: return try cursor.take(0).array
      case .takeAll: return try cursor.take(3).array
      case .skipTwo:
        try cursor.skip(2)
        return []
      case .takeTooMany: return try cursor.take(4).array
      case .takeNegative: return try cursor.take(-1).array
      case .skipHuge:
        try cursor.skip(.max)
        return []
      }
    }
  }

  static let fromStart: [(Read, [UInt8]?, Int)] = [
    (.octet, [1], 1), (.uint16, [1, 2], 2), (.takeNone, [], 0), (.takeAll, [1, 2, 3], 3), (.skipTwo, [], 2),
    (.takeTooMany, nil, 0), (.takeNegative, nil, 0), (.skipHuge, nil, 0),
  ]

  @Test(arguments: fromStart)
  func `a read returns its bytes and moves the cursor, or throws and does not move it`(
    _ read: Read, _ expected: [UInt8]?, _ position: Int
  ) {
    let octets: [UInt8] = [1, 2, 3]
    var cursor = Cursor(octets.span)
    let result = try? read.run(&cursor)
    let (end, rest) = (cursor.position, cursor.remaining)
    #expect(result == expected)
    #expect(end == position)
    #expect(rest == 3 - position)
  }

  static let atEnd: [(Read, Int)] = [(.octet, 1), (.uint16, 2), (.takeAll, 3), (.takeTooMany, 4), (.skipTwo, 2)]

  @Test(arguments: atEnd)
  func `a read beyond the end throws the offset, the bytes needed and the bytes left`(_ read: Read, _ needed: Int) {
    for before in 0..<2 {
      let octets = [UInt8](repeating: 7, count: before)
      var cursor = Cursor(octets.span)
      try? cursor.skip(read == .octet ? before : 0)
      let start = cursor.position
      do throws(OctetsError) {
        _ = try read.run(&cursor)
        Issue.record("\(read) of \(before) bytes did not fail")
      } catch {
        #expect(error == OctetsError(.truncated(needed: needed, available: before - start), at: start))
      }
      let end = cursor.position
      #expect(end == start)
    }
  }

  @Test func `finish throws the number and offset of bytes that are left`() {
    let octets: [UInt8] = [1, 2, 3]
    for read in 0...3 {
      var cursor = Cursor(octets.span)
      try? cursor.skip(read)
      do throws(OctetsError) {
        try cursor.finish()
        #expect(read == 3)
      } catch {
        #expect(error == OctetsError(.trailing(count: 3 - read), at: read))
      }
    }
  }

  @Test func `sixteen bits are big-endian`() {
    let octets: [UInt8] = [0xFE, 0xDC]
    var cursor = Cursor(octets.span)
    let value = try? cursor.uint16()
    #expect(value == 0xFEDC)
  }
}
