import ContactlessPayment
import DeviceAuthentication
import Foundation
import ISO7816
import Links
import Octets
import Testing

@Suite("The start of a session")
struct SessionStartTests {
  @Test func `a session needs a known, active card or a default card`() async throws {
    let test = try await TestWallet()
    for state in DigitalCard.State.allCases where state != .active {
      try await test.wallet.setState(state, of: "card")
      // A retired card is no longer the default.
      #expect(try await test.startFailure(state == .retired ? "card" : nil) == .cardNotActive(state))
    }
    #expect(try await test.startFailure("other") == .invalidDigitalCardID("other"))
    try test.store.wipe()
    #expect(try await test.startFailure(nil) == .noDefaultCard)
  }

  @Test func `a card without keys fails before a prompt is shown`() async throws {
    let test = try await TestWallet(uses: 0)
    #expect(try await test.startFailure(nil) == .noPaymentKeys)
    #expect(test.device.promptCount(.biometric) == 0)
  }

  @Test func `a chosen card becomes the default once its cardholder is verified`() async throws {
    let test = try await TestWallet()
    try await test.wallet.add("second", test.image, keys: TestWallet.keys(for: test.image, uses: 2))
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment(withDigitalCardID: "second")
    #expect(try await test.wallet.cards().first { $0.isDefault }?.id == "card")
    await log.proceed()
    #expect(try await test.wallet.cards().first { $0.isDefault }?.id == "second")
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send(Tap.whole, over: loopback)
    _ = await log.drain()
    #expect(try await test.wallet.cards().first { $0.isDefault }?.id == "second")
    await session.finished()
  }

  @Test func `14 bytes of wallet data reach tag 9F10, stored or for one payment`() async throws {
    let test = try await TestWallet(card: "mastercard-cvn16")
    let (octets, kept): ([UInt8], [UInt8]) = (Array(1...14), Array(21...34))
    try await test.wallet.setWalletData(kept, of: "card")
    #expect(try await addedData(test, .ephemeral(octets)) == octets.hex)
    #expect(try await addedData(test, .stored) == kept.hex)
    #expect(try await addedData(test, nil) == "")
    try await test.wallet.setWalletData(nil, of: "card")
    #expect(try await addedData(test, .stored) == "")
  }

  /// Pays and returns the bytes after the issuer's 18 in tag 9F10, the last data object of GENERATE AC.
  private func addedData(_ test: TestWallet, _ data: WalletTransactionData?) async throws -> String {
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment(walletData: data)
    await log.proceed()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    let answer = try await Tap.send(Tap.mastercard, over: loopback).last ?? ""
    _ = await log.drain()
    await session.finished()
    guard let range = answer.range(of: "9F10") else { return "no 9F10" }
    return String(answer[range.upperBound...].dropFirst(2 + 36).dropLast(4))
  }

  @Test func `15 bytes of wallet data are refused, stored or for one payment`() async throws {
    let test = try await TestWallet(card: "mastercard-cvn16")
    let octets = [UInt8](repeating: 1, count: 15)
    let failure = try await test.startFailure(nil, .ephemeral(octets))
    #expect(failure == .invalidWalletTransactionData(count: 15))
    let refusal = WalletError.invalidWalletTransactionData(count: 15)
    await #expect(throws: refusal) { try await test.wallet.setWalletData(octets, of: "card") }
  }

  @Test func `a card without a Mastercard application accepts no wallet data`() async throws {
    let test = try await TestWallet()
    for data in [WalletTransactionData.ephemeral([1]), .stored] {
      let failure = try await test.startFailure(nil, data)
      #expect(failure == .schemeNotSupported)
    }
  }

  @Test func `a wallet makes one payment at a time`() async throws {
    let test = try await TestWallet()
    let early = try await test.wallet.makePaymentSession()
    let (session, _) = try await test.armedSession()
    await #expect(throws: WalletError.sessionInProgress) { _ = try await test.wallet.makePaymentSession() }
    let log = EventLog(early)
    await early.startPayment()
    #expect(await log.drain() == ["errorEncountered(sessionInvalidated)"])
    await session.cancel()
    _ = try await test.wallet.makePaymentSession()
  }

  @Test func `the reset of a wallet ends the payment in progress`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    try await test.wallet.reset()
    #expect(await log.drain().last == "errorEncountered(sessionInvalidated)")
    await session.finished()
  }

  @Test func `a card answers with the wallet's directory until it is removed`()
    async throws
  {
    let test = try await TestWallet()
    let own = "6F1F840E325041592E5359532E4444463031A50DBF0C0A61084F06A00000000301"
    let ownOctets = try [UInt8](hex: own)
    for octets in [ownOctets, nil] {
      try await test.wallet.setCustomPPSE(octets, of: "card")
      let (session, _) = try await test.armedSession()
      let loopback = Loopback(clock: test.clock)
      try await session.startEmulation(on: loopback)
      let answers = try await Tap.send([Tap.directory] + Tap.whole, over: loopback)
      #expect((answers[0] == own + "9000") == (octets != nil))
      #expect(answers.allSatisfy { $0.hasSuffix("9000") })
      await session.finished()
    }
  }

  @Test func `a directory with faults is not stored`() async throws {
    let test = try await TestWallet()
    await #expect(throws: WalletError.self) { try await test.wallet.setCustomPPSE([0x6F, 0x00], of: "card") }
    await #expect(throws: WalletError.store(.unknownCard("other"))) {
      try await test.wallet.setCustomPPSE(nil, of: "other")
    }
    #expect(try await test.wallet.cards()[0].customDirectory == nil)
    // A faulty directory in the store is not presented either.
    try test.store.setCustomDirectory([UInt8](repeating: 0x6F, count: 300), of: "card")
    let failure = try await test.startFailure(nil)
    #expect(failure?.code == .cardNotSupported)
  }
}
