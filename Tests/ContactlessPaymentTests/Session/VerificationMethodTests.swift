import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVData
import Fixtures
import Foundation
import ISO7816
import Links
import Octets
import Testing

/// The verification of the device reaches the card, the terminal and the issuer.
@Suite("The verification method in a payment", .timeLimit(.minutes(60)))
struct VerificationMethodTests {
  /// A wallet whose card names the method in tag 9F10: Visa's version 22.
  private func payment(_ test: TestWallet) async throws -> [String] {
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    let answers = try await Tap.send(Tap.whole, over: loopback)
    _ = await log.drain()
    await session.finished()
    #expect(log.context != nil)
    return answers
  }

  @Test(arguments: [
    (CardholderVerificationPolicy.biometricOnly, BiometricKind.finger, "82"), (.biometricOnly, .face, "84"),
    (.userPresence, .face, "84"),
  ])
  func `tag 9F10 of Visa version 22 names what the sensor recognised`(
    _ policy: CardholderVerificationPolicy, _ kind: BiometricKind, _ first: String
  ) async throws {
    let test = try await TestWallet(policy: policy, hardware: .init(sensor: kind), cryptogram: (22, "00A0000000"))
    let options = try #require(try await payment(test).dropFirst().first)
    #expect(options.contains("9F10201F2201" + first + "A4000002"), "\(options)")
  }

  @Test func `tag 9F10 of Visa version 22 names the passcode`() async throws {
    let test = try await TestWallet(policy: .userPresence, cryptogram: (22, "00A0000000"))
    test.device.removeAllBiometrics()
    let options = try #require(try await payment(test).dropFirst().first)
    #expect(options.contains("9F10201F220181A4000002"), "\(options)")
  }

  @Test func `a terminal without qVSDC ends the session of a Visa card and gives the use back`() async throws {
    let test = try await TestWallet()
    let before = try await test.paymentsLeft()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    let options = Tap.options.replacingOccurrences(of: "832132", with: "832112")
    #expect(try await Tap.send([Tap.select, options], over: loopback).last == "6985")
    _ = await log.drain()
    await session.finished()
    #expect(log.lastFailure == .posNotSupported)
    #expect(try await test.paymentsLeft() == before)
  }

  @Test func `a terminal without qVSDC pays with the other application of a co-badged card`() async throws {
    let test = try await TestWallet(card: "co-badged")
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    let options = Tap.options.replacingOccurrences(of: "832132", with: "832112")
    let answers = try await Tap.send([Tap.select, options] + Tap.mastercard, over: loopback)
    #expect(answers.map { $0.suffix(4) } == ["9000", "6985", "9000", "9000", "9000"])
    _ = await log.drain()
    await session.finished()
    #expect(log.lastFailure == nil)
    #expect(log.context?.aid.description == "A0000000041010")
  }
}
