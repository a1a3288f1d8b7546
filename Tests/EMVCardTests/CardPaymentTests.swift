import Ciphers
import EMVCard
import EMVCryptography
import EMVData
import Fixtures
import ISO7816
import Octets
import Testing

@Suite("Payments with a Visa card")
struct CardPaymentTests {
  static let shipped = ["visa-cvn18", "visa-cvn10", "visa-two-accounts"]

  @Test(arguments: shipped)
  func `every application of every shipped card pays with the right cryptogram`(_ name: String) throws {
    let image = try shippedImage(name)
    for (index, application) in image.applications.enumerated() {
      var card = Card(image: image)
      card.arm(try arming(for: image))
      #expect(try card.answer(.select(name: application.aid.octets)).status == .ok)
      let options = try card.answer(Terminal.options(for: application.pdol))
      #expect(options.status == .ok)
      let nodes = try [TLVNode](parsing: options.data.span, rules: .strict)
      #expect(
        nodes.first(.applicationTransactionCounter)?.value == [
          UInt8(application.firstATC >> 8), UInt8(application.firstATC & 0xFF),
        ])
      #expect(nodes.first(.cardTransactionQualifiers)?.value == [0x00, 0x80])
      let issuerData = try #require(nodes.first(.issuerApplicationData)?.value)
      #expect(VisaIssuerApplicationData(issuerData)?.cardVerificationResults.hex == "03A40000")
      #expect(nodes.first(.applicationCryptogram)?.value.hex == (try expectedCryptogram(application, nodes)))
      #expect(card.phase == .cryptogramDelivered)
      #expect(card.isArmed == false)
      try readAll(&card, nodes)
      #expect(card.phase == .completed)
      let kept = card.record
      let record = try #require(kept)
      #expect(record.application == index)
      #expect(record.isComplete)
      #expect(record.terminalValues == application.pdol.values { Terminal.values[$0] })
    }
  }

  private func readAll(_ card: inout Card, _ nodes: [TLVNode]) throws {
    let locator = try ApplicationFileLocator(parsing: #require(nodes.first(.applicationFileLocator)?.value))
    for (position, entry) in locator.records.enumerated() {
      let record = try card.answer(.readRecord(entry.record, sfi: entry.sfi))
      #expect(record.status == .ok)
      #expect(try [TLVNode](parsing: record.data.span, rules: .strict).first?.tag == .recordTemplate)
      #expect((card.phase == .completed) == (position == locator.records.count - 1))
    }
  }

  /// Computed from the response alone, as an issuer does.
  private func expectedCryptogram(_ application: CardImage.Application, _ nodes: [TLVNode]) throws -> String {
    let version = application.cryptogramVersion
    let data = try CryptogramVersion.dataElements.flatMap { tag in
      try #require(Terminal.values[tag] ?? nodes.first(tag)?.value)
    }
    let issuerData = try #require(nodes.first(.issuerApplicationData)?.value)
    let covered = try #require(version.coveredIssuerData(of: issuerData))
    let issuer = try [UInt8](hex: testIssuerKey)
    let master = deriveICCMasterKey(
      from: Secret(copying: issuer), version.derivation, accountNumber: application.accountNumber,
      sequenceNumber: application.sequenceNumber)
    let key = version.cryptogramKey(masterKey: master, atc: application.firstATC)
    return version.cryptogram(over: data + covered, TripleDESKeys(key)).hex
  }

  @Test func `a use makes one cryptogram; the next GET PROCESSING OPTIONS is refused, also after a reset`() throws {
    let image = try shippedImage("visa-cvn18")
    let application = image.applications[0]
    var card = Card(image: image)
    card.arm(try arming(for: image))
    _ = try card.answer(.select(name: application.aid.octets))
    #expect(try card.answer(Terminal.options(for: application.pdol)).status == .ok)
    #expect(try card.answer(Terminal.options(for: application.pdol)).status == .conditionsNotSatisfied)
    _ = try card.answer(.select(name: application.aid.octets))
    #expect(try card.answer(Terminal.options(for: application.pdol)).status == .commandNotAllowed)
    card.fieldChanged(.reset, at: Instant(nanoseconds: 0))
    _ = try card.answer(.select(name: application.aid.octets))
    #expect(try card.answer(Terminal.options(for: application.pdol)).status == .commandNotAllowed)
    card.arm(try arming(for: image))
    #expect(try card.answer(Terminal.options(for: application.pdol)).status == .ok)
  }

  @Test func `a use survives a loss of the field before the cryptogram and pays at the next tap`() throws {
    let image = try shippedImage("visa-cvn18")
    var card = Card(image: image)
    card.arm(try arming(for: image))
    _ = try card.answer(.select(name: image.applications[0].aid.octets))
    card.fieldChanged(.lost, at: Instant(nanoseconds: 0))
    #expect(card.phase == .idle)
    #expect(card.isArmed == true)
    #expect((card.record == nil) == true)
    _ = try card.answer(.select(name: image.applications[0].aid.octets))
    #expect(try card.answer(Terminal.options(for: image.applications[0].pdol)).status == .ok)
  }

  @Test func `GET PROCESSING OPTIONS meets the deadline at its nanosecond and misses it one nanosecond later`() throws {
    let image = try shippedImage("visa-cvn18")
    for (instant, status) in [(Int64(1_000), StatusWord.ok), (1_001, .commandNotAllowed)] {
      var card = Card(image: image)
      card.arm(try arming(for: image))
      _ = try card.answer(.select(name: image.applications[0].aid.octets), at: instant)
      #expect(try card.answer(Terminal.options(for: image.applications[0].pdol), at: instant).status == status)
      #expect((card.refusal == .verificationExpired) == (status != .ok))
    }
  }

  @Test func `an exchange that began in time finishes after the deadline`() throws {
    let image = try shippedImage("visa-cvn18")
    var card = Card(image: image)
    card.arm(try arming(for: image))
    _ = try card.answer(.select(name: image.applications[0].aid.octets))
    _ = try card.answer(Terminal.options(for: image.applications[0].pdol), at: 999)
    #expect(try card.answer(.readRecord(1, sfi: 1), at: 50_000).status == .ok)
    #expect(try card.answer(.readRecord(1, sfi: 3), at: 50_000).status == .ok)
    #expect(card.phase == .completed)
  }

  @Test func `a card can be armed while its application is selected`() throws {
    let image = try shippedImage("visa-cvn18")
    let options = try Terminal.options(for: image.applications[0].pdol)
    var card = Card(image: image)
    _ = try card.answer(.select(name: image.applications[0].aid.octets))
    #expect(try card.answer(options).status == .commandNotAllowed)
    card.arm(try arming(for: image))
    #expect(try card.answer(options).status == .ok)
  }

  @Test func `a disarmed card refuses to pay`() throws {
    let image = try shippedImage("visa-cvn18")
    var card = Card(image: image)
    card.arm(try arming(for: image))
    card.disarm()
    _ = try card.answer(.select(name: image.applications[0].aid.octets))
    #expect(try card.answer(Terminal.options(for: image.applications[0].pdol)).status == .commandNotAllowed)
  }
}
