import Ciphers
import EMVCryptography
import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("CDA of kernel 2") struct Kernel2AuthenticationTests {
  /// A Mastercard card whose signature covers the commands that it got.
  private struct SigningCard {
    var card = MastercardDouble()
    /// The type that it answers to a request with a signature; nil for the requested one.
    var type: CryptogramType?
    /// What is changed after it was signed: the objects of the response.
    var change: ([TLVNode]) -> [TLVNode] = { $0 }
    /// Changes the relay resistance data before they are signed.
    var relayed: ([UInt8]) -> [UInt8] = { $0 }
    private(set) var relayData: [UInt8] = []

    init(profile: String = "1B80", record changes: [Tag: [UInt8]?] = [:]) throws {
      card.profile = octets(profile)
      card.locator = octets("1001010118010200")
      let record = MastercardDouble.chip([0x9F4A: [0x82]].merging(changes) { $1 })
      let staticData = record.encoded + card.profile
      let certificates = try SigningDouble.certificates("5413330089600044", covering: staticData)
      card.records = [
        [2, 1]: record, [3, 1]: Array(certificates.prefix(4)), [3, 2]: Array(certificates.dropFirst(4)),
      ]
    }

    mutating func answer(_ command: CommandAPDU) throws -> ResponseAPDU {
      if command.ins == 0xEA { relayData = command.data + card.relay.dropFirst(2) }
      guard command.ins == 0xAE, command.p1 & 0x10 != 0 else { return card.answer(command) }
      let asked = try #require(CryptogramType(cryptogramInformationData: command.p1 & 0xC0))
      let information = (type ?? asked).cryptogramInformationData
      let objects = [
        TLVNode(0x9F27, [information]), TLVNode(0x9F36, octets("0007")),
        TLVNode(0x9F10, octets("0110A00003220000000000000000000000FF")),
      ]
      var hash = SHA1Stream()
      hash.update((command.data + objects.encoded).span)
      var digest = [UInt8](repeating: 0, count: 20)
      var span = digest.mutableSpan
      hash.finish(into: &span, at: 0)
      let dynamic = octets("020007") + [information] + octets("1122334455667788") + digest + relayed(relayData)
      let signature = try SigningDouble.signature(0x05, dynamic, covering: Terminals.unpredictableNumber)
      return ResponseAPDU(data: TLVNode(0x77, change(objects + [TLVNode(0x9F4B, signature)])).encoded)
    }
  }

  private static func terminal(_ type: String = "22", authority: Bool = true) throws -> TerminalConfiguration {
    let place = "applications[1]"
    var changes: [(String, JSONValue)] = [
      ("terminalType", JSONValue(type)), ("\(place).kernel2.security", "08"),
      ("\(place).limits[0].floor", "100.00"), ("\(place).limits[0].cvmRequired", "100.00"),
    ]
    if authority {
      changes.append(("certificationAuthorities", [try SigningDouble.authority(octets("A000000004"))]))
    }
    return try TerminalConfiguration(changes.reduce(Terminals.profile()) { $0.setting($1.0, to: $1.1) })
  }

  private static func tap(_ card: SigningCard, _ terminal: TerminalConfiguration) throws -> Tap {
    var card = card
    var failure: (any Error)?
    let tap = try Terminals.tap("12.34", "EUR", terminal) { command in
      do { return try card.answer(command) } catch {
        failure = error
        return ResponseAPDU(status: .instructionNotSupported)
      }
    }
    if let failure { throw failure }
    return tap
  }

  /// P1 of GENERATE AC.
  private static func request(_ tap: Tap) throws -> UInt8 { try #require(tap.commands.first { $0.ins == 0xAE }?.p1) }

  @Test
  func `a TC with a right signature is approved without a host, and its cryptogram is taken out of the signature`()
    throws
  {
    let tap = try Self.tap(SigningCard(), Self.terminal())
    #expect(try Self.request(tap) == 0x50)
    #expect(tap.outcome.kind == .approved && tap.outcome.cryptogram == .tc)
    #expect(tap.outcome.dataAuthentication == .passed)
    #expect(tap.outcome.authorizationRequest?.cryptogram == octets("1122334455667788"))
    #expect(tap.outcome.authorizationRequest?.value(0x95)?[0] == 0x00)
  }

  @Test func `an ARQC is signed too, also when a TC was asked for`() throws {
    let online = try Self.tap(SigningCard(), Self.terminal("21"))
    #expect(try Self.request(online) == 0x90)
    #expect(online.outcome.kind == .onlineRequest && online.outcome.dataAuthentication == .passed)
    var card = try SigningCard()
    card.type = .arqc
    let weaker = try Self.tap(card, Self.terminal())
    #expect(weaker.outcome.kind == .onlineRequest && weaker.outcome.dataAuthentication == .passed)
  }

  @Test func `the relay resistance data of the last exchange must be in the signature`() throws {
    let right = try Self.tap(SigningCard(profile: "1B81"), Self.terminal())
    #expect(right.outcome.kind == .approved && right.outcome.dataAuthentication == .passed)
    for change in [{ _ in [] }, { $0.dropLast() + [0xFF] }] as [([UInt8]) -> [UInt8]] {
      var card = try SigningCard(profile: "1B81")
      card.relayed = change
      let wrong = try Self.tap(card, Self.terminal())
      #expect(wrong.outcome.failure == StepFailure(.generateCryptogram, .dataAuthentication(.relayData)))
    }
  }

  /// Each changed byte of the response, and a missing signature.
  @Test func `a changed response ends the application and is never approved`() throws {
    for (place, count) in [(0, 1), (1, 2), (2, 16), (3, 112)] {
      for index in stride(from: 0, to: count, by: count > 20 ? 9 : 1) {
        var card = try SigningCard()
        card.change = { objects in
          var value = objects[place].value
          value[index] ^= place == 0 ? 0xC0 : 0x01
          var changed = objects
          changed[place] = TLVNode(objects[place].tag, value)
          return changed
        }
        let tap = try Self.tap(card, Self.terminal())
        #expect(tap.outcome.kind == .endApplication, "object \(place), byte \(index)")
      }
    }
    var card = try SigningCard()
    card.change = { $0.dropLast() + [TLVNode(0x9F26, octets("1122334455667788"))] }
    let tap = try Self.tap(card, Self.terminal())
    #expect(tap.outcome.failure == StepFailure(.generateCryptogram, .missing(0x9F4B)))
  }

  @Test
  func `missing data and an unknown authority set bits of tag 95, and the payment goes online without a signature`()
    throws
  {
    var card = try SigningCard()
    card.card.locator = octets("1001010118010100")
    for (tap, results) in [
      (try Self.tap(card, Self.terminal()), 0x24), (try Self.tap(SigningCard(), Self.terminal(authority: false)), 0x04),
    ] as [(Tap, UInt8)] {
      #expect(try Self.request(tap) == 0x80)
      #expect(tap.outcome.kind == .onlineRequest)
      #expect(tap.outcome.authorizationRequest?.value(0x95)?[0] == results)
      guard case .failed = tap.outcome.dataAuthentication else {
        Issue.record("the outcome names the failure")
        return
      }
    }
  }

  @Test func `a tag list other than 82 ends the application`() throws {
    let tap = try Self.tap(SigningCard(record: [0x9F4A: octets("8284")]), Self.terminal())
    #expect(tap.outcome.kind == .endApplication)
    #expect(tap.outcome.failure == StepFailure(.decision, .dataAuthentication(.staticData)))
  }

  @Test func `a card without CDA is never asked for an offline approval`() throws {
    let tap = try Self.tap(SigningCard(profile: "1A80"), Self.terminal())
    #expect(try Self.request(tap) == 0x80)
    #expect(tap.outcome.authorizationRequest?.value(0x95)?[0] == 0x80)
  }
}
