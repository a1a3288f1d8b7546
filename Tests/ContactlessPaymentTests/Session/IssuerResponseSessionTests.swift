@testable import ContactlessPayment
import Dispatch
import EMVCard
import EMVCryptography
import EMVData
import EMVIssuer
import Foundation
import ISO7816
import JSON
import Links
import Octets
import Testing

/// A Mastercard card that awaits its issuer's response, and a terminal that brings it.
private enum Online {
  static func change(_ profile: inout CardProfile) {
    profile.applications[0].aip = "1E81"
    // Tags 91, 8A, 95 and 9F37; RECOVER AC repeats tag 9F37.
    profile.applications[0].records[0].data += ["8D 910A8A0295059F3704", "9F51 9F3704"]
    profile.applications[0].getData = ["9F58 01"]
    profile.applications[0].schemeKeys["scripts"] = ["putData": ["9F58"]]
  }

  /// Selects the application and sends a command behind its options; without a command, asks for the ARQC.
  @discardableResult
  static func begin(
    _ image: CardImage, _ act: (TerminalLink.Action) -> [UInt8], _ last: (TerminalLink.Action)? = nil
  ) throws -> UInt64 {
    let application = image.applications[0]
    _ = act(.command(CommandAPDU.select(name: application.aid.octets).encoded))
    _ = act(.command(try [UInt8](hex: "80A8000002830000")))
    let ending = try last ?? .command(generate(application))
    let response = act(ending)
    // 80 | length | CID | counter | cryptogram
    return response.count > 13 ? response[5..<13].reduce(0) { $0 << 8 | UInt64($1) } : 0
  }

  static func generate(_ application: CardImage.Application) throws -> [UInt8] {
    let list = try #require(application.cdol1)
    let values = list.values { $0 == .unpredictableNumber ? [1, 2, 3, 4] : nil }
    return try CommandAPDU(cla: 0x80, ins: 0xAE, p1: 0x80, p2: 0, data: values, expectedLength: 256).encoded
  }

  static func externalAuthenticate(_ cryptogram: UInt64, _ image: CardImage) throws -> [UInt8] {
    let application = image.applications[0]
    let account = IssuerAccount(application)
    let data = application.cryptogramVersion.issuerAuthenticationData(
      for: cryptogram, .code(0x3030), masterKey: TestIssuer().cardMasterKey(of: account), atc: application.firstATC,
      unpredictableNumber: 0x0102_0304)
    return try CommandAPDU(cla: 0x00, ins: 0x82, p1: 0, p2: 0, data: #require(data)).encoded
  }

  static let second: [UInt8] =
    [0x80, 0xAE, 0x40, 0x00, 21] + [UInt8](repeating: 0, count: 17) + [1, 2, 3, 4, 0x00]

  static func script(_ ins: UInt8, _ cryptogram: UInt64, _ image: CardImage) throws -> [UInt8] {
    let application = image.applications[0]
    let header: [UInt8] = [0x84, ins, 0, 0, 8]
    let mac = application.cryptogramVersion.scriptMAC(
      header: header, data: [], masterKey: TestIssuer().cardScriptKey(of: IssuerAccount(application)),
      atc: application.firstATC, cryptogram: cryptogram)
    return try header + #require(mac).bigEndianOctets
  }
}

@Suite("A session whose card takes its issuer's response")
struct IssuerResponseSessionTests {
  private func wallet(store: any WalletStore = InMemoryWalletStore()) async throws -> TestWallet {
    try await TestWallet(card: "mastercard-cvn21", store: store, change: Online.change)
  }

  /// Runs a session at a terminal to its end.
  private func pay(
    _ test: TestWallet, _ act: @escaping @Sendable ((TerminalLink.Action) -> [UInt8]) throws -> Void
  ) async throws -> EventLog {
    let (session, log) = try await test.armedSession()
    let link = TerminalLink(act)
    try await session.startEmulation(on: link)
    _ = await log.drain()
    await session.finished()
    #expect(link.error == nil)
    return log
  }

  @Test func `the payment is completed by the second cryptogram, and tells what the issuer has sent`() async throws {
    let test = try await wallet()
    let image = test.image
    let log = try await pay(test) { act in
      let cryptogram = try Online.begin(image, act)
      #expect(act(.command(try Online.externalAuthenticate(cryptogram, image))).hex == "9000")
      #expect(act(.command(Online.second)).hex.hasSuffix("9000"))
    }
    #expect(log.names.last == "transactionCompleted")
    let issuer = try #require(log.context?.issuer)
    #expect(issuer.authentication == .successful && issuer.second?.type == .tc)
    #expect(log.context?.kind == .applicationCryptogram(.arqc))
    #expect(try await test.paymentsLeft() == 4)
  }

  @Test(arguments: [FieldEvent.lost, .reset, .deselected])
  func `without a response the payment is completed when the terminal leaves`(_ event: FieldEvent) async throws {
    let test = try await wallet()
    let image = test.image
    let log = try await pay(test) { act in
      try Online.begin(image, act)
      _ = act(.field(event))
    }
    #expect(log.names.last == "transactionCompleted" && log.context?.issuer == nil)
    #expect(try await test.paymentsLeft() == 4)
  }

  @Test(arguments: [true, false])
  func `the limit of the session and a cancellation complete a payment that was presented`(
    _ isLimit: Bool
  ) async throws {
    let test = try await wallet()
    let image = test.image
    let (presented, left) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (session, log) = try await test.armedSession()
    try await session.startEmulation(
      on: TerminalLink { act in
        try Online.begin(image, act)
        presented.signal()
        left.wait()
      })
    await DedicatedThread(named: "presented") { presented.wait() }.value()
    while await session.presented == nil { await Task.yield() }
    if isLimit { test.clock.advance(by: .seconds(60)) } else { await session.cancel() }
    #expect(await log.drain().last == "transactionCompleted")
    left.signal()
    await session.finished()
    #expect(try await test.paymentsLeft() == 4)
  }

  @Test func `an application that its issuer has blocked declines, and its user cannot lift that`() async throws {
    let test = try await wallet()
    let image = test.image
    _ = try await pay(test) { act in
      let cryptogram = try Online.begin(image, act)
      #expect(act(.command(try Online.script(0x1E, cryptogram, image))).hex == "9000")
    }
    #expect(try await test.wallet.cards()[0].cardState.applications[0].isBlocked)
    let log = try await pay(test) { act in
      try Online.begin(image, act)
    }
    #expect(log.lastFailure == .apduFailure("\(WalletStoreError.blockedByIssuer)"))
    try test.store.apply(.suspend, to: "card")
    #expect(throws: WalletStoreError.blockedByIssuer) { try test.store.apply(.resume, to: "card") }
  }

  @Test func `a card that is blocked while its cardholder verifies declines, and changes of its script are kept`()
    async throws
  {
    let test = try await wallet()
    let (image, number) = (test.image, try await test.wallet.cards()[0].number)
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    // Another payment brings it, after this one has chosen its card.
    try test.store.applyScript([.blockApplication(0), .putData(0x9F58, [9], application: 0)], toCard: number)
    await log.proceed()
    try await session.startEmulation(
      on: TerminalLink { act in
        try Online.begin(image, act)
        #expect(act(.command([0x80, 0xCA, 0x9F, 0x58, 0x00])).hex == "9F5801099000")
      })
    _ = await log.drain()
    await session.finished()
    #expect(log.lastFailure == .apduFailure("\(WalletStoreError.blockedByIssuer)"))
    #expect(try await test.wallet.cards()[0].cardState.applications[0].data == [0x9F58: [9]])
  }

  @Test func `a card that its issuer has blocked is retired`() async throws {
    let test = try await wallet()
    let image = test.image
    let log = try await pay(test) { act in
      let cryptogram = try Online.begin(image, act)
      #expect(act(.command(try Online.script(0x16, cryptogram, image))).hex == "9000")
      #expect(act(.command([0x00, 0xA4, 0x04, 0x00, 0x00])).hex == "6A81")
    }
    #expect(log.names.last == "transactionCompleted")
    let card = try await test.wallet.cards()[0]
    #expect(card.state == .retired && !card.isDefault)
  }

  @Test func `a block that cannot be stored is not acknowledged`() async throws {
    let test = try await wallet(store: FaultyStore(.keepsNoCardState))
    let image = test.image
    _ = try await pay(test) { act in
      let cryptogram = try Online.begin(image, act)
      #expect(act(.command(try Online.script(0x1E, cryptogram, image))).hex == "6581")
    }
    #expect(try await test.wallet.cards()[0].cardState == CardState(of: image))
  }

  @Test func `a response that was lost is recovered, and the further use is given back`() async throws {
    let test = try await wallet()
    let image = test.image
    let log = try await pay(test) { act in
      try Online.begin(image, act, .lose(Online.generate(image.applications[0])))
      _ = act(.field(.powered))
      // The first command waits until the session has armed the further use.
      try Online.begin(image, act, .command([0x80, 0xD0, 0, 0, 4, 1, 2, 3, 4, 0]))
      #expect(act(.command(try Online.generate(image.applications[0]))).hex == "6985")
    }
    #expect(log.names.last == "transactionCompleted")
    #expect(log.context?.transactionCounter == 1 && log.context?.interruptedPayments.isEmpty == true)
    #expect(try await test.paymentsLeft() == 4)
  }

  /// P1 of GENERATE AC, and the error of a session whose terminal does not recover the response.
  @Test(arguments: [(UInt8(0x40), FurtherUseRefusal.approved), (0x00, .declined)])
  func `a TC or an AAC that was lost is recovered, and no further use is armed`(
    _ p1: UInt8, _ refusal: FurtherUseRefusal
  ) async throws {
    for recovers in [true, false] {
      let test = try await TestWallet(card: "mastercard-cda") { profile in
        let record = profile.applications[0].records.firstIndex { $0.isSigned != true } ?? 0
        profile.applications[0].records[record].data += ["9F51 9F3704"]
      }
      let application = test.image.applications[0]
      var generate = try Online.generate(application)
      generate[2] = p1
      let list = try #require(application.cdol1)
      for (tag, value) in [(Tag.amountAuthorised, [0, 0, 0, 0, 0x12, 0x34] as [UInt8]), (0x5F2A, [0x09, 0x78])] {
        let range = try #require(list.range(of: tag))
        generate.replaceSubrange(range.lowerBound + 5..<range.upperBound + 5, with: value)
      }
      let (image, lost) = (test.image, generate)
      let log = try await pay(test) { act in
        try Online.begin(image, act, .lose(lost))
        _ = act(.field(.powered))
        guard recovers else {
          try Online.begin(image, act, .command(lost))
          return
        }
        _ = try Online.begin(image, act, .command([0x80, 0xD0, 0, 0, 4, 1, 2, 3, 4, 0]))
        #expect(act(.command(lost)).hex == "6985")
      }
      #expect(log.spent.map(\.transactionCounter) == (recovers && p1 == 0x40 ? [] : [1]))
      if recovers {
        #expect(log.names.last == (p1 == 0x40 ? "transactionCompleted" : "errorEncountered(apduFailure)"))
      } else {
        #expect(log.lastFailure == .furtherUseRefused(refusal))
      }
      #expect(try await test.paymentsLeft() == 4)
    }
  }

  @Test func `a Visa card gets its issuer's response in a second presentment`() async throws {
    let test = try await TestWallet(card: "visa-cvn10") { profile in
      profile.applications[0].aip = "0440"
      profile.applications[0].ctq = "0040"
    }
    let image = test.image
    let log = try await pay(test) { act in
      var responses: [String] = []
      for command in Tap.whole { responses.append(act(.command(try [UInt8](hex: command))).hex) }
      let range = try #require(responses[1].range(of: "9F2608"))
      let cryptogram = try #require(UInt64(responses[1][range.upperBound...].prefix(16), radix: 16))
      _ = act(.field(.lost))
      _ = act(.field(.powered))
      _ = act(.command(try [UInt8](hex: Tap.select)))
      #expect(act(.command(try [UInt8](hex: Tap.options))).hex == "6985")
      #expect(act(.command(try Online.externalAuthenticate(cryptogram, image))).hex == "9000")
    }
    #expect(log.names.last == "transactionCompleted" && log.context?.issuer?.authentication == .successful)
    #expect(try await test.paymentsLeft() == 4)
  }
}
