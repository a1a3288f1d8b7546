import ISO7816
import Octets
import Testing

@Suite("The seven cases of a command APDU")
struct CommandLayoutTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    let apduCase: APDUCase
    /// Nc and Ne; Ne is nil without Le.
    let nc: Int
    let ne: Int?
    /// The bytes after the header, without the data.
    let lengthField: [UInt8]
    let trailer: [UInt8]

    init(_ apduCase: APDUCase, _ nc: Int, _ ne: Int?, _ lengthField: [UInt8], _ trailer: [UInt8] = []) {
      self.apduCase = apduCase
      self.nc = nc
      self.ne = ne
      self.lengthField = lengthField
      self.trailer = trailer
    }

    var testDescription: String { "\(apduCase.rawValue), Nc \(nc), Ne \(ne ?? 0)" }
    var data: [UInt8] { (0..<nc).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) } }
    var encoded: [UInt8] { [0x80, 0xA8, 0x12, 0x34] + lengthField + data + trailer }
    var isExtended: Bool { lengthField.count > 1 }
  }

  /// Every case at every boundary of Lc and Le, as bytes written by hand (ISO/IEC 7816-3:2006, 12.1.3).
  static let shapes: [Shape] = [
    Shape(.case1, 0, nil, []),
    Shape(.case2Short, 0, 1, [0x01]), Shape(.case2Short, 0, 255, [0xFF]), Shape(.case2Short, 0, 256, [0x00]),
    Shape(.case3Short, 1, nil, [0x01]), Shape(.case3Short, 254, nil, [0xFE]), Shape(.case3Short, 255, nil, [0xFF]),
    Shape(.case4Short, 1, 1, [0x01], [0x01]), Shape(.case4Short, 1, 256, [0x01], [0x00]),
    Shape(.case4Short, 255, 1, [0xFF], [0x01]), Shape(.case4Short, 255, 255, [0xFF], [0xFF]),
    Shape(.case4Short, 255, 256, [0xFF], [0x00]),
    Shape(.case2Extended, 0, 1, [0x00, 0x00, 0x01]), Shape(.case2Extended, 0, 256, [0x00, 0x01, 0x00]),
    Shape(.case2Extended, 0, 65535, [0x00, 0xFF, 0xFF]), Shape(.case2Extended, 0, 65536, [0x00, 0x00, 0x00]),
    Shape(.case3Extended, 1, nil, [0x00, 0x00, 0x01]), Shape(.case3Extended, 2, nil, [0x00, 0x00, 0x02]),
    Shape(.case3Extended, 255, nil, [0x00, 0x00, 0xFF]), Shape(.case3Extended, 256, nil, [0x00, 0x01, 0x00]),
    Shape(.case3Extended, 65535, nil, [0x00, 0xFF, 0xFF]),
    Shape(.case4Extended, 1, 1, [0x00, 0x00, 0x01], [0x00, 0x01]),
    Shape(.case4Extended, 1, 65536, [0x00, 0x00, 0x01], [0x00, 0x00]),
    Shape(.case4Extended, 255, 256, [0x00, 0x00, 0xFF], [0x01, 0x00]),
    Shape(.case4Extended, 256, 257, [0x00, 0x01, 0x00], [0x01, 0x01]),
    Shape(.case4Extended, 65535, 65535, [0x00, 0xFF, 0xFF], [0xFF, 0xFF]),
    Shape(.case4Extended, 65535, 65536, [0x00, 0xFF, 0xFF], [0x00, 0x00]),
  ]

  @Test func `the table of shapes contains every case`() {
    #expect(Set(Self.shapes.map(\.apduCase)) == Set(APDUCase.allCases))
  }

  @Test(arguments: shapes)
  func `each shape is recognised with the place of its data`(_ shape: Shape) throws {
    let octets = shape.encoded
    let layout = try CommandLayout(parsing: octets.span)
    #expect(layout.apduCase == shape.apduCase)
    #expect(layout.dataCount == shape.nc)
    #expect(layout.expectedLength == shape.ne ?? 0)
    #expect(Array(octets[layout.dataOffset..<layout.dataOffset + layout.dataCount]) == shape.data)
  }

  @Test(arguments: shapes)
  func `each shape is read and written back to the same bytes`(_ shape: Shape) throws {
    let command = try CommandAPDU(parsing: shape.encoded.span)
    #expect([command.cla, command.ins, command.p1, command.p2] == [0x80, 0xA8, 0x12, 0x34])
    #expect(command.data == shape.data)
    #expect(command.expectedLength == shape.ne)
    #expect(command.encoded == shape.encoded)
  }

  @Test(arguments: shapes)
  func `each shape is composed to the same bytes`(_ shape: Shape) throws {
    let command = try CommandAPDU(
      cla: 0x80, ins: 0xA8, p1: 0x12, p2: 0x34, data: shape.data, expectedLength: shape.ne,
      form: shape.isExtended ? .extended : .short)
    #expect(command.encoded == shape.encoded)
    #expect(try command == CommandAPDU(parsing: shape.encoded.span))
  }

  @Test(arguments: shapes)
  func `no prefix of a command is a command, except where the standard defines it`(_ shape: Shape) {
    let octets = shape.encoded
    let allowed = Self.lengths(of: shape)
    // Every prefix of the short ones; the prefixes around each field of the long ones.
    let cuts = octets.count < 600 ? Set(0..<octets.count) : Set(0..<16).union(octets.count - 4..<octets.count)
    for cut in cuts {
      let parsed = try? CommandLayout(parsing: octets.span.extracting(0..<cut))
      #expect((parsed != nil) == allowed.contains(cut), "\(cut) of \(octets.count) bytes")
    }
  }

  /// The lengths at which the bytes of a shape are a command by the standard: header, header and one byte, and with a
  /// length field its data without and with Le.
  private static func lengths(of shape: Shape) -> Set<Int> {
    let header = 4 + shape.lengthField.count
    switch shape.apduCase {
    case .case1, .case2Short, .case3Short, .case4Short: return [4, 5, header + shape.nc]
    // The three bytes of an extended Lc are also an extended Le.
    case .case2Extended, .case3Extended, .case4Extended: return [4, 5, 7, header + shape.nc]
    }
  }

  @Test(arguments: shapes.filter { $0.ne != nil && $0.nc > 0 })
  func `one byte too many is an error`(_ shape: Shape) {
    let octets = shape.encoded + [0xAA]
    let following = octets.count - 4 - shape.lengthField.count
    #expect(throws: APDUError(.lengthMismatch(stated: shape.nc, following: following), count: octets.count)) {
      try CommandLayout(parsing: octets.span)
    }
  }

  static let malformed: [(String, APDUError)] = [
    ("", APDUError(.tooShort(minimum: 4), count: 0)),
    ("00", APDUError(.tooShort(minimum: 4), count: 1)),
    ("00A404", APDUError(.tooShort(minimum: 4), count: 3)),
    // Short Lc is greater, and less, than the number of bytes that follow.
    ("00A4040002AA", APDUError(.lengthMismatch(stated: 2, following: 1), count: 6)),
    ("00A4040001AABBCC", APDUError(.lengthMismatch(stated: 1, following: 3), count: 8)),
    ("00A40400FFAA", APDUError(.lengthMismatch(stated: 255, following: 1), count: 6)),
    // Extended lengths cut off.
    ("00A404000001", APDUError(.truncatedLength, count: 6)),
    ("00A404000000", APDUError(.truncatedLength, count: 6)),
    // Extended Lc of zero before data.
    ("00A40400000000AA", APDUError(.zeroLength, count: 8)),
    ("00A404000000000000", APDUError(.zeroLength, count: 9)),
    // Extended Lc is greater, and less, than the number of bytes that follow; half an extended Le.
    ("00A40400000002AA", APDUError(.lengthMismatch(stated: 2, following: 1), count: 8)),
    ("00A40400000001AABB", APDUError(.lengthMismatch(stated: 1, following: 2), count: 9)),
    ("00A40400000001AABBCCDD", APDUError(.lengthMismatch(stated: 1, following: 4), count: 11)),
    ("00A4040000FFFFAA", APDUError(.lengthMismatch(stated: 65535, following: 1), count: 8)),
  ]

  @Test(arguments: malformed)
  func `bytes of none of the seven cases are a typed error`(_ hex: String, _ expected: APDUError) throws {
    let octets = try [UInt8](hex: hex)
    #expect(throws: expected) { try CommandLayout(parsing: octets.span) }
    #expect(throws: expected) { try CommandAPDU(parsing: octets.span) }
  }

  @Test func `random bytes are an error or a command that is written back to the same bytes`() {
    var random = SplitMix64(seed: 54)
    var commands = 0
    for _ in 0..<20_000 {
      var octets = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if octets.count > 4, Bool.random(using: &random) {
        octets[4] = UInt8(truncatingIfNeeded: octets.count - Int.random(in: 4...7, using: &random))
      }
      guard let command = try? CommandAPDU(parsing: octets.span) else { continue }
      commands += 1
      #expect(command.encoded == octets)
    }
    #expect(commands > 2000)
  }
}
