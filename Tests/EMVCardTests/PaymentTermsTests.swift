import EMVCard
import EMVData
import Fixtures
import ISO7816
import Octets
import Testing

@Suite("A further use pays the same terms only")
struct PaymentTermsTests {
  /// The command that brings the cryptogram of a payment.
  enum Mode: Sendable { case options, generateCryptogram, computeChecksum }

  /// A shipped application and how it pays.
  struct Payer: Sendable, CustomTestStringConvertible {
    let card: String
    let application: Int
    let mode: Mode

    init(_ card: String, _ application: Int, _ mode: Mode) {
      self.card = card
      self.application = application
      self.mode = mode
    }

    var testDescription: String { "\(card), application \(application), \(mode)" }

    /// The card's image. In mag-stripe mode the UDOL also asks for the three terms.
    func image() throws -> CardImage {
      var profile = try CardProfile(json: shippedJSON(card))
      if mode == .computeChecksum {
        let plain = profile.applications[application].records[0].data.filter { !$0.hasPrefix("9F69") }
        profile.applications[application].records[0].data = plain + ["9F69 9F6A049F7E019F02065F2A029C01"]
      }
      return try CardImage(compiling: profile)
    }

    /// Selects the application and asks for a cryptogram; returns the last response.
    func pay(_ card: inout Card, _ image: CardImage, _ values: [ISO7816.Tag: [UInt8]] = [:]) throws -> ResponseAPDU {
      let options = try begin(&card, image, values)
      return mode == .options ? options : try finish(&card, image, values)
    }

    /// The last response of a card with a further use for other terms: with Mastercard the terminal is told in tag DF4B
    /// that the context is conflicting; others give the response of an unarmed card.
    func conflict(_ image: CardImage, _ values: [ISO7816.Tag: [UInt8]] = [:]) throws -> ResponseAPDU {
      let refusal = try refusal(image, values)
      guard image.applications[application].scheme == "mastercard" else { return refusal }
      if image.applications[application].cdol1 == nil || mode == .computeChecksum {
        return ResponseAPDU(data: try [UInt8](hex: "770B9F36020000DF4B03000800"))
      }
      // Always in format 2, which has room for tag DF4B.
      let issuerData = try MastercardPaymentTests.cryptogram(refusal).issuerData.hex
      return ResponseAPDU(
        data: try [UInt8](
          hex: "772F9F2701009F360200009F260800000000000000009F1012\(issuerData)DF4B03000800"))
    }

    /// The last response of a card that was disarmed before the command that brings the cryptogram.
    func refusal(_ image: CardImage, _ values: [ISO7816.Tag: [UInt8]] = [:]) throws -> ResponseAPDU {
      var card = Card(image: image)
      if mode == .options { return try pay(&card, image, values) }
      card.arm(try arming(for: image))
      _ = try begin(&card, image, values)
      card.disarm()
      return try finish(&card, image, values)
    }

    private func begin(
      _ card: inout Card, _ image: CardImage, _ values: [ISO7816.Tag: [UInt8]]
    ) throws -> ResponseAPDU {
      let application = image.applications[application]
      _ = try card.answer(.select(name: application.aid.octets))
      let pdol = application.pdol.values { values[$0] ?? Terminal.values[$0] }
      return try card.answer(
        CommandAPDU(
          cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: [0x83, UInt8(pdol.count)] + pdol, expectedLength: 256))
    }

    private func finish(
      _ card: inout Card, _ image: CardImage, _ values: [ISO7816.Tag: [UInt8]]
    ) throws -> ResponseAPDU {
      let application = image.applications[application]
      let list = try #require(mode == .generateCryptogram ? application.cdol1 : application.udol)
      let (ins, p1, p2): (UInt8, UInt8, UInt8) = mode == .generateCryptogram ? (0xAE, 0x80, 0) : (0x2A, 0x8E, 0x80)
      return try card.answer(
        CommandAPDU(
          cla: 0x80, ins: ins, p1: p1, p2: p2, data: list.values { values[$0] ?? Terminal.values[$0] },
          expectedLength: 256))
    }
  }

  static let payers = [
    Payer("visa-cvn10", 0, .options), Payer("visa-cvn18", 0, .options), Payer("visa-two-accounts", 1, .options),
    Payer("mastercard-cvn16", 0, .generateCryptogram), Payer("mastercard-cvn21", 0, .generateCryptogram),
    Payer("co-badged", 0, .options), Payer("co-badged", 1, .generateCryptogram),
    Payer("amex-mobile", 0, .generateCryptogram), Payer("mastercard-cvn16", 0, .computeChecksum),
    Payer("mastercard-magstripe", 0, .computeChecksum), Payer("unionpay", 0, .options),
    Payer("discover", 0, .generateCryptogram),
  ]

  static let terms = PaymentTerms(amountAuthorised: 0x1234, currencyCode: 0x978, transactionType: 0)

  @Test(arguments: payers)
  func `the record holds the amount, the currency and the type of the cryptogram`(_ payer: Payer) throws {
    let image = try payer.image()
    var card = Card(image: image)
    card.arm(try arming(for: image))
    #expect(try payer.pay(&card, image).status == .ok)
    let terms = card.record?.terms
    #expect(terms == Self.terms)
  }

  @Test(arguments: payers)
  func `a further use pays the terms of the first cryptogram again`(_ payer: Payer) throws {
    let image = try payer.image()
    var card = Card(image: image)
    card.arm(try arming(for: image, terms: Self.terms))
    #expect(try payer.pay(&card, image).status == .ok)
    #expect(card.isArmed == false)
    #expect(card.refusal == nil)
    let terms = card.record?.terms
    #expect(terms == Self.terms)
  }

  @Test(arguments: payers)
  func `a further use refuses other terms, states the conflict to a Mastercard terminal, and stays unspent`(
    _ payer: Payer
  ) throws {
    let image = try payer.image()
    let others: [[ISO7816.Tag: [UInt8]]] = [
      [.amountAuthorised: [0, 0, 0, 0, 0x12, 0x35]], [.amountAuthorised: [0x10, 0, 0, 0, 0x12, 0x34]],
      [.transactionCurrencyCode: [0x08, 0x40]], [.transactionType: [0x20]],
    ]
    for values in others {
      let refusal = try payer.conflict(image, values)
      var card = Card(image: image)
      card.arm(try arming(for: image, terms: Self.terms))
      #expect(try payer.pay(&card, image, values) == refusal, "\(values)")
      #expect(card.refusal == .differentTerms)
      #expect(card.isArmed == true)
      #expect((card.record == nil) == true)
      // The use is still there for the terms of the first cryptogram.
      #expect(try payer.pay(&card, image) != refusal)
      #expect(card.isArmed == false)
    }
  }

  @Test func `a further use refuses another application with the refusal of an unarmed card, and stays unspent`() throws
  {
    let image = try shippedImage("co-badged")
    let modes = [(0, Mode.options), (1, .generateCryptogram), (1, .computeChecksum)]
    for (index, mode) in modes {
      let payer = Payer("co-badged", index, mode)
      var unarmed = Card(image: image)
      let refusal = try payer.pay(&unarmed, image)
      for allowed in [0, 1] {
        var card = Card(image: image)
        card.arm(try arming(for: image, terms: Self.terms, application: allowed))
        let answer = try payer.pay(&card, image)
        guard allowed != index else { continue }
        #expect(answer == refusal, "\(mode)")
        #expect(card.refusal == .differentApplication && card.isArmed == true)
        // The use is still there for the application of the first cryptogram.
        let own = Payer("co-badged", allowed, allowed == 0 ? .options : .generateCryptogram)
        #expect(try own.pay(&card, image).status == .ok)
        #expect(card.isArmed == false)
      }
    }
  }

  @Test(arguments: payers)
  func `a spent use makes no second cryptogram after a reset, a deselection or a loss of the field`(
    _ payer: Payer
  ) throws {
    let image = try payer.image()
    for event in [nil, FieldEvent.reset, .powered, .deselected, .lost] {
      var card = Card(image: image)
      card.arm(try arming(for: image))
      let answer = try payer.pay(&card, image)
      let first = card.record
      #expect((first == nil) == false)
      for _ in 0..<3 {
        if let event { card.fieldChanged(event, at: Instant(nanoseconds: 0)) }
        #expect(try payer.pay(&card, image) != answer)
        let record = card.record
        #expect(record == first)
        #expect(card.isArmed == false)
      }
    }
  }

  @Test func `a value that no list asks for is missing on both sides`() throws {
    let image = try shippedImage("mastercard-cvn16")
    let payer = Payer("mastercard-cvn16", 0, .computeChecksum)
    let nothing = PaymentTerms(amountAuthorised: nil, currencyCode: nil, transactionType: nil)
    var card = Card(image: image)
    card.arm(try arming(for: image, terms: nothing))
    #expect(try payer.pay(&card, image, [.amountAuthorised: [0, 0, 0, 0, 0, 1]]).status == .ok)
    let terms = card.record?.terms
    #expect(terms == nothing)
    // After a cryptogram that covered an amount, the mode that sends none is refused.
    var second = Card(image: image)
    second.arm(try arming(for: image, terms: Self.terms))
    _ = try payer.pay(&second, image)
    #expect(second.refusal == .differentTerms)
    #expect(second.isArmed == true)
  }

  @Test(arguments: [
    ("visa-cvn18", 0, Mode.options), ("mastercard-cvn16", 0, .generateCryptogram),
    ("mastercard-cvn16", 0, .computeChecksum), ("amex-mobile", 0, .generateCryptogram),
  ])
  func `GET DATA 9F36 returns the last counter that was used, not the reserved one`(
    _ name: String, _ index: Int, _ mode: Mode
  ) throws {
    let payer = Payer(name, index, mode)
    let image = try payer.image()
    let application = image.applications[index]
    var card = Card(image: image)
    card.arm(try arming(for: image, counters: [0x0142]))
    _ = try card.answer(.select(name: application.aid.octets))
    #expect(try card.answer("80CA9F3600") == "9F360201419000")
    _ = try payer.pay(&card, image)
    #expect(try card.answer("80CA9F3600") == "9F360201429000")
  }

  @Test func `GET DATA 9F36 of a co-badged card counts only the application that paid`() throws {
    let image = try shippedImage("co-badged")
    var card = Card(image: image)
    card.arm(try arming(for: image, counters: [5, 9]))
    #expect(try Payer("co-badged", 0, .options).pay(&card, image).status == .ok)
    #expect(try card.answer("80CA9F3600") == "9F360200059000")
    _ = try card.answer(.select(name: image.applications[1].aid.octets))
    #expect(try card.answer("80CA9F3600") == "9F360200089000")
  }
}
