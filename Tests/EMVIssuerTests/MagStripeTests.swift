import Ciphers
import EMVCryptography
import EMVData
import EMVIssuer
import Octets
import Testing

@Suite("The test issuer and mag-stripe mode")
struct MagStripeTests {
  static let track = "5413330089020029D14111014010000000000F"
  let issuer = TestIssuer()
  let number: PrimaryAccountNumber

  init() throws { number = try #require(PrimaryAccountNumber(digits: "5413330089020029")) }

  /// Three digits of the code, two of the unpredictable number and `digits` of the counter.
  static func positions(_ digits: Int = 4) throws -> TrackPositions {
    let bits: UInt16 = [0: 0x0006, 2: 0x00C6, 4: 0x03C6][digits] ?? 0
    return try #require(
      TrackPositions(
        .track2, cvc3: [0x00, 0x38], unpredictableNumberAndCounter: [UInt8(bits >> 8), UInt8(bits & 0xFF)],
        counterDigits: UInt8(digits)))
  }

  func account(digits: Int = 4, firstCounter: UInt16 = 1, sequence: UInt8 = 1) throws -> IssuerAccount {
    IssuerAccount(
      accountNumber: number, sequenceNumber: sequence, cryptogramVersion: .mastercard16, firstCounter: firstCounter,
      magStripe: MagStripeTrack(try [UInt8](hex: Self.track), try Self.positions(digits)))
  }

  /// The track of a card with the terminal's digits.
  func filled(
    _ account: IssuerAccount, counter: UInt16, random: UInt32 = 0x94, device: Bool = true
  ) throws -> [UInt8] {
    let magStripe = try #require(account.magStripe)
    let keys = TripleDESKeys(issuer.cardCVC3Key(of: account))
    let vector = CVC3.initialVector(of: magStripe.octets.span, keys)
    let code = CVC3(initialVector: vector, unpredictableNumber: random, atc: counter, keys)
    return try #require(
      magStripe.positions.filled(
        magStripe.octets,
        with: DynamicTrackData(cvc3: code, unpredictableNumber: random, atc: counter, isVerifiedOnDevice: device)))
  }

  let approved = TestIssuer.Decision.approved(authenticationData: nil)

  @Test func `a card's code is approved, with verification on the device and without; counters rise`() throws {
    let account = try account()
    issuer.enrol(account)
    for (counter, device) in [(UInt16(1), true), (2, false), (7, true), (9_999, true), (10_000, true), (10_003, false)]
    {
      #expect(issuer.authorizeMagStripe(track2: try filled(account, counter: counter, device: device)) == approved)
    }
  }

  @Test func `a track is declined after its month`() throws {
    let account = try account()
    issuer.enrol(account)
    let track = try filled(account, counter: 1)
    let (last, first) = (TransactionDate("2014-11-30"), TransactionDate("2014-12-01"))
    #expect(issuer.authorizeMagStripe(track2: track, on: first) == .declined(.expired))
    #expect(issuer.authorizeMagStripe(track2: track, on: last) == approved)
  }

  @Test(arguments: [0, 2, 4])
  func `the counter is rebuilt from its last digits over the end of their range`(_ digits: Int) throws {
    let account = try account(digits: digits, firstCounter: 95)
    issuer.enrol(account)
    let distance: UInt16 = digits == 0 ? 1 : 60
    for counter in stride(from: UInt16(95), to: 900, by: Int(distance)) {
      #expect(issuer.authorizeMagStripe(track2: try filled(account, counter: counter)) == approved)
    }
  }

  @Test func `a repeated track is declined, and mag-stripe and EMV payments share the counter`() throws {
    let account = try account()
    issuer.enrol(account)
    let track = try filled(account, counter: 5)
    #expect(issuer.authorizeMagStripe(track2: track) == approved)
    #expect(issuer.authorizeMagStripe(track2: track) == .declined(.wrongCode))
    #expect(issuer.authorizeMagStripe(track2: try filled(account, counter: 4)) == .declined(.wrongCode))
    #expect(try issuer.grant(1, to: account).firstCounter == 6)
  }

  @Test(arguments: 0..<37)
  func `every changed digit of the track is declined or unknown`(_ position: Int) throws {
    let account = try account()
    issuer.enrol(account)
    var track = try filled(account, counter: 5)
    let shift = position % 2 == 0 ? 4 : 0
    let digit = track[position / 2] >> shift & 0x0F
    track[position / 2] ^= (digit ^ ((digit + 1) % 10)) << shift
    let decision = issuer.authorizeMagStripe(track2: track)
    #expect(decision != approved, "\(track.hex)")
  }

  @Test(arguments: ["", "D", "5413330089020029", "5413330089020029D", "5413330089020029D1411101"])
  func `garbage never traps`(_ text: String) throws {
    issuer.enrol(try account())
    let track = try [UInt8](hex: text.count % 2 == 0 ? text : text + "F")
    #expect(issuer.authorizeMagStripe(track2: track) == .declined(.wrongCode))
  }

  @Test func `a card without the mode, an unknown card and a retired card have different decisions`() throws {
    let account = try account()
    let track = try filled(account, counter: 5)
    #expect(issuer.authorizeMagStripe(track2: track) == .unknownCard)
    issuer.enrol(IssuerAccount(accountNumber: number, sequenceNumber: 0, cryptogramVersion: .mastercard16))
    #expect(issuer.authorizeMagStripe(track2: track) == .declined(.noMagStripeMode))
    issuer.enrol(account)
    issuer.retire(accountNumber: number, sequenceNumber: 1)
    #expect(issuer.authorizeMagStripe(track2: track) == .declined(.retired))
  }
}
