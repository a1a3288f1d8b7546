import EMVCryptography
import Octets
import Testing

@Suite("Track positions")
struct TrackTests {
  /// The public worked example: PCVC3 38, PUNATC 3C6, NATC 4, ATC 1E47, CVC3 609B for track 1 and 2EF4 for track 2.
  static func example(_ track: TrackPositions.Track) throws -> TrackPositions {
    let zeros = [UInt8](repeating: 0, count: track.bitmapCount - 2)
    return try #require(
      TrackPositions(
        track, cvc3: zeros + [0x00, 0x38], unpredictableNumberAndCounter: zeros + [0x03, 0xC6], counterDigits: 4))
  }

  static func data(_ cvc3: UInt16, _ random: UInt32 = 0x0000_0094, device: Bool = false) -> DynamicTrackData {
    DynamicTrackData(cvc3: CVC3(cvc3), unpredictableNumber: random, atc: 0x1E47, isVerifiedOnDevice: device)
  }

  @Test func `track 1 of the public example: 24731 ends in 731, 1E47 is 7751`() throws {
    let track = Array("B5413330089020029^ /^14111014010000000000".utf8)
    let filled = try #require(Self.example(.track1).filled(track, with: Self.data(0x609B)))
    #expect(String(decoding: filled, as: UTF8.self) == "B5413330089020029^ /^14111014017751731942")
  }

  @Test func `track 2 of the public example keeps the leading zero of 020`() throws {
    let track = try octets("5413330089020029D14111014010000000000F")
    let filled = try #require(Self.example(.track2).filled(track, with: Self.data(0x2EF4)))
    #expect(filled.hex == "5413330089020029D14111014017751020942F")
  }

  @Test func `after a verification on the device the last digit is the count plus 5`() throws {
    let track = try octets("5413330089020029D14111014010000000000F")
    let filled = try #require(Self.example(.track2).filled(track, with: Self.data(0x2EF4, device: true)))
    #expect(filled.hex.hasSuffix("947F"))
  }

  @Test(arguments: 0...8)
  func `a count of 5 to 8 digits wraps to 0 to 3 after a verification on the device`(_ count: Int) throws {
    let bits = UInt16(1) << UInt16(count) - 1
    let positions = try #require(
      TrackPositions(
        .track2, cvc3: [0, 0], unpredictableNumberAndCounter: [UInt8(bits >> 8), UInt8(bits & 0xFF)],
        counterDigits: 0))
    #expect(positions.unpredictableDigitCount == count)
    let track = try octets("5413330089020029D14111011234567890123F")
    let plain = try #require(positions.filled(track, with: Self.data(0, 0x1122_3344)))
    let device = try #require(positions.filled(track, with: Self.data(0, 0x1122_3344, device: true)))
    #expect(plain.hex.suffix(2) == "\(count)F")
    #expect(device.hex.suffix(2) == "\((count + 5) % 10)F")
    let written = "11223344".suffix(count).dropLast()
    #expect(plain.hex.dropLast(2).hasSuffix(written))
  }

  @Test func `a counter and a code of few digits are filled with zeros`() throws {
    let positions = try #require(
      TrackPositions(
        .track2, cvc3: [0x00, 0x7E], unpredictableNumberAndCounter: [0x1F, 0x80], counterDigits: 6))
    let track = try octets("5413330089020029D14111019999999999999F")
    let data = DynamicTrackData(
      cvc3: CVC3(42), unpredictableNumber: 0, atc: 7, isVerifiedOnDevice: false)
    let filled = try #require(positions.filled(track, with: data))
    #expect(filled.hex == "5413330089020029D14111010000070000420F")
  }

  @Test func `a track without filler fills the same places`() throws {
    let track = try octets("54133300890200293D14111014010000000000")
    let filled = try #require(Self.example(.track2).filled(track, with: Self.data(0x2EF4)))
    #expect(filled.hex == "54133300890200293D14111014017751020942")
  }

  @Test func `where positions overlap the later wins: code, number, counter, count`() throws {
    let positions = try #require(
      TrackPositions(.track2, cvc3: [0x00, 0x0F], unpredictableNumberAndCounter: [0x00, 0x0E], counterDigits: 1))
    let track = try octets("5413330089020029D14111011234567890123F")
    let filled = try #require(positions.filled(track, with: Self.data(5555, 0x94)))
    #expect(filled.hex.hasSuffix("1942F"))
  }

  @Test(arguments: [
    (TrackPositions.Track.track2, ""), (.track2, "5413330089020029"), (.track2, "5413330089020029D1411101"),
    (.track2, "5413330089020029D141110F"), (.track2, "5413330089020029D1411101123456789F"),
    (.track2, "54A3330089020029D14111014010000000000F"), (.track2, "5413330089020029D1411A014010000000000F"),
    (.track2, "5413330089020029D141110140100D0000000F"), (.track2, "DF"), (.track2, "D0"),
    (.track1, ""), (.track1, "B5413330089020029^ /14111014010000000000"),
    (.track1, "B5413330089020029^ /^141110140100000000^0"), (.track1, "B5413330089020029^ /^1411101123456789"),
    (.track1, "B5413330089020029^ /^14111A14010000000000"), (.track1, "B5413330089020029^ /^14111"),
  ])
  func `a malformed track and one too short for a position are refused`(_ track: TrackPositions.Track, _ text: String)
    throws
  {
    let value = track == .track1 ? Array(text.utf8) : try octets(text)
    #expect(try Self.example(track).filled(value, with: Self.data(1)) == nil)
  }

  @Test func `discretionary data just long enough are filled`() throws {
    let track = try octets("5413330089020029D14111010000000000")
    #expect(try Self.example(.track2).filled(track, with: Self.data(0x2EF4))?.hex.suffix(10) == "7751020942")
  }

  @Test func `without any position only the count is written, and there must be room for it`() throws {
    let positions = try #require(
      TrackPositions(.track2, cvc3: [0, 0], unpredictableNumberAndCounter: [0, 0], counterDigits: 0))
    let one = try octets("5413330089020029D14111019F")
    let none = try octets("54133300890200293D1411101F")
    #expect(positions.filled(one, with: Self.data(1))?.hex == "5413330089020029D14111010F")
    #expect(positions.filled(none, with: Self.data(1)) == nil)
  }

  @Test func `an unpredictable number that is not decimal is not written`() throws {
    let track = try octets("5413330089020029D14111014010000000000F")
    #expect(try Self.example(.track2).filled(track, with: Self.data(1, 0x0000_000A)) == nil)
  }

  @Test(arguments: [
    ("0038", "03C6", UInt8(4), 2 as Int?), ("0038", "03C6", 6, 0), ("0038", "03C6", 7, nil), ("0038", "01FF", 0, nil),
    ("0038", "01FF", 1, 8), ("0038", "00FF", 0, 8), ("38", "03C6", 4, nil), ("0038", "C6", 4, nil),
    ("000000000038", "03C6", 4, nil), ("0000", "0000", 0, 0), ("0038", "03C6", 255, nil),
  ])
  func `bitmaps must have the track's length and room for the counter, and leave at most 8 digits`(
    _ cvc3: String, _ shared: String, _ digits: UInt8, _ count: Int?
  ) throws {
    let positions = TrackPositions(
      .track2, cvc3: try octets(cvc3), unpredictableNumberAndCounter: try octets(shared), counterDigits: digits)
    #expect(positions?.unpredictableDigitCount == count)
  }

  @Test(arguments: [(UInt32.max, 8), (0, 8), (1, 2), (99, 2), (100, 2), (4_294_967_295, 0), (123_456_789, 5)])
  func `an unpredictable number has as many decimal digits as the track takes`(_ random: UInt32, _ count: Int) throws {
    let bits = UInt16(1) << UInt16(count) - 1
    let positions = try #require(
      TrackPositions(
        .track1, cvc3: [0, 0, 0, 0, 0, 0],
        unpredictableNumberAndCounter: [0, 0, 0, 0, UInt8(bits >> 8), UInt8(bits & 0xFF)], counterDigits: 0))
    let hex = positions.unpredictableNumber(from: random).hex
    let foreign = hex.filter { !"0123456789".contains($0) }
    #expect(foreign.isEmpty)
    #expect(UInt64(hex) ?? 0 < pow10(count))
    #expect((UInt64(hex) == 0) == (UInt64(random) % pow10(count) == 0))
  }

  private func pow10(_ exponent: Int) -> UInt64 { (0..<exponent).reduce(1) { value, _ in value * 10 } }

  @Test func `track 1 reaches its highest position`() throws {
    let positions = try #require(
      TrackPositions(
        .track1, cvc3: [0x80, 0, 0, 0, 0, 0], unpredictableNumberAndCounter: [0, 0, 0, 0, 0, 0], counterDigits: 0))
    let start = "B5413330089020029^ /^1411101"
    let full = Array((start + String(repeating: "0", count: 48)).utf8)
    let filled = try #require(positions.filled(full, with: Self.data(9)))
    #expect(String(decoding: filled, as: UTF8.self) == start + "9" + String(repeating: "0", count: 47))
    #expect(positions.filled(Array(full.dropLast()), with: Self.data(9)) == nil)
  }
}
