import Ciphers
import EMVCard
import EMVCryptography
import EMVData
import ISO7816
import JSON
import Octets
import Testing

@Suite("A card executes issuer scripts")
struct IssuerScriptTests {
  static let names = ["mastercard-cvn16", "mastercard-cvn21"]

  /// Sends a script and stores what it changes, as a wallet does.
  private static func send(
    _ octets: [UInt8], to card: inout Card, isStored: Bool = true
  ) throws -> String {
    var buffer = [UInt8](repeating: 0xEE, count: shortResponseCapacity)
    let count = buffer.withMutableOctets { room in
      let count = card.respond(to: octets.span, at: Instant(nanoseconds: 0), into: &room)
      return card.hasUnstoredChange ? card.endChange(isStored: isStored, into: &room) : count
    }
    return Array(buffer[..<count]).hex
  }

  @Test(arguments: names)
  func `APPLICATION BLOCK leaves an application that declines, and UNBLOCK lifts it`(_ name: String) throws {
    let image = try IssuerCard.mastercard(name)
    var card = try IssuerCard.afterRequest(image)
    #expect(try Self.send(IssuerCard.script(0x1E, 0, [], card, image), to: &card) == "9000")
    let blocked = card.state
    #expect(blocked.applications[0].isBlocked && blocked.isBlockedByIssuer)
    // The next payment.
    var next = Card(image: image, state: blocked)
    next.arm(try arming(for: image, counters: [2]))
    let selection = try next.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    #expect(selection.status.rawValue == 0x6283 && !selection.data.isEmpty)
    #expect(try next.answer(Terminal.options(for: image.applications[0].pdol)).status == .ok)
    let response = try next.answer(Terminal.generate(#require(image.applications[0].cdol1)))
    #expect(try MastercardPaymentTests.cryptogram(response).information == 0x00)
    #expect(next.record?.kind == .applicationCryptogram(.aac))
    // In the tap of the block, the issuer lifts it.
    #expect(try Self.send(IssuerCard.script(0x18, 0, [], card, image), to: &card) == "9000")
    #expect(card.state == CardState(of: image))
  }

  @Test func `CARD BLOCK leaves a card that refuses every command`() throws {
    let image = try IssuerCard.mastercard()
    var card = try IssuerCard.afterRequest(image)
    #expect(try Self.send(IssuerCard.script(0x16, 0, [], card, image), to: &card) == "9000")
    let state = card.state
    var next = Card(image: image, state: state)
    for command in ["00A404000E325041592E5359532E444446303100", "80CA9F3600", "00B2011400", "0084000008", "84"] {
      for answer in [try card.answer(command), try next.answer(command)] { #expect(answer == "6A81") }
    }
  }

  @Test func `PUT DATA writes the listed tags, and GET DATA returns what it wrote`() throws {
    let image = try IssuerCard.mastercard()
    var card = try IssuerCard.afterRequest(image)
    #expect(try card.answer("80CA9F5800") == "9F5801019000")
    for (tag, data, status) in [
      (UInt16(0x9F58), [7] as [UInt8], "9000"), (0x9F58, [], "6700"), (0x9F58, [1, 2], "6700"),
      (0x9F59, [1, 2], "6A88"),
      (0x9F5A, [1], "6A88"),
    ] {
      #expect(try Self.send(IssuerCard.script(0xDA, tag, data, card, image), to: &card) == status)
    }
    #expect(try card.answer("80CA9F5800") == "9F5801079000")
    for ins in [UInt8(0x1E), 0x18, 0x16] {
      #expect(try Self.send(IssuerCard.script(ins, 0, [1], card, image), to: &card) == "6700")
    }
    let state = card.state
    let read = try #require(CardState(json: state.json, of: image))
    #expect(read == state)
    var next = Card(image: image, state: read)
    _ = try next.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    #expect(try next.answer("80CA9F5800") == "9F5801079000")
  }

  @Test func `a change that cannot be stored fails, and the card is as before`() throws {
    let image = try IssuerCard.mastercard()
    for ins in [UInt8(0x1E), 0x16, 0xDA] {
      var card = try IssuerCard.afterRequest(image)
      let command = try IssuerCard.script(ins, ins == 0xDA ? 0x9F58 : 0, ins == 0xDA ? [9] : [], card, image)
      #expect(try Self.send(command, to: &card, isStored: false) == "6581")
      #expect(card.state == CardState(of: image))
      #expect(try Self.send(command, to: &card) == "9000")
    }
  }

  @Test(arguments: names)
  func `a MAC that is missing, short or wrong in any bit changes nothing`(_ name: String) throws {
    let image = try IssuerCard.mastercard(name)
    var card = try IssuerCard.afterRequest(image)
    #expect(try card.answer("841E0000") == "6987")
    #expect(try card.answer("841E000003010203") == "6988")
    let command = try IssuerCard.script(0xDA, 0x9F58, [7], card, image)
    for position in 2..<command.count where position != 4 {
      var wrong = command
      var card = try IssuerCard.afterRequest(image)
      wrong[position] ^= 0x10
      #expect(try Self.send(wrong, to: &card).hasPrefix("6988"), "\(position)")
      #expect(card.state == CardState(of: image))
      #expect(try Self.send(command, to: &card) == "9000")
    }
  }

  /// The command and its status word: before the cryptogram, after it.
  @Test(arguments: [
    ("841E0000", "6985", "6987"), ("84DA9F58", "6985", "6987"), ("8C1E0000", "6985", "6987"),
    ("841E0100080000000000000000", "6985", "6A86"), ("84160001080000000000000000", "6985", "6A86"),
    ("84240002", "6A81", "6A81"), ("84DC0104", "6A81", "6A81"), ("84FF0000", "6D00", "6D00"),
    ("941E0000", "6E00", "6E00"), ("8C1E00000281", "6700", "6700"), ("8C1E0000028100", "6985", "6987"),
    ("8C1E0000018E", "6985", "6988"), ("8C1E0000058E03010203", "6985", "6988"),
    ("8C1E0000078E050102030405", "6985", "6988"), ("8C1E0000028105", "6985", "6988"),
    ("8C1E0000048101018E", "6985", "6988"),
  ])
  func `a script command has its order of checks`(_ header: String, _ before: String, _ after: String) throws {
    let image = try IssuerCard.mastercard()
    var card = Card(image: image)
    card.arm(try arming(for: image))
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    #expect(try card.answer(header) == before)
    try IssuerCard.request(&card, image)
    #expect(try card.answer(header) == after)
  }

  /// The commands of one transaction in format 1, with MACs of a number of bytes.
  private static func chain(
    _ commands: [(ins: UInt8, parameters: UInt16, data: [UInt8])], macCount: Int, _ card: borrowing Card,
    _ image: CardImage
  ) throws -> [[UInt8]] {
    let application = image.applications[0]
    let found = card.record
    let record = try #require(found)
    let key = try application.cryptogramVersion.scriptSessionKey(
      masterKey: masterKey(application, .scriptIntegrity), atc: record.transactionCounter, cryptogram: record.cryptogram
    )
    let keys = TripleDESKeys(key)
    func padded(_ octets: [UInt8]) -> [UInt8] {
      octets + [0x80] + [UInt8](repeating: 0, count: 7 - octets.count % 8)
    }
    var previous = record.cryptogram
    return commands.map { command in
      let header: [UInt8] = [
        0x8C, command.ins, UInt8(command.parameters >> 8), UInt8(command.parameters & 0xFF),
      ]
      let object = command.data.isEmpty ? [] : [0x81, UInt8(command.data.count)] + command.data
      let message = previous.bigEndianOctets + padded(header) + (object.isEmpty ? [] : padded(object))
      previous = RetailMAC.value(ofBlocks: message.span, keys)
      let mac = previous.bigEndianOctets.prefix(macCount)
      return header + [UInt8(object.count + 2 + macCount)] + object + [0x8E, UInt8(macCount)] + mac
    }
  }

  @Test(arguments: names, [4, 8])
  func `commands of format 1 are a chain, which a missing command breaks`(_ name: String, _ count: Int) throws {
    let image = try IssuerCard.mastercard(name)
    let commands: [(ins: UInt8, parameters: UInt16, data: [UInt8])] = [
      (0xDA, 0x9F58, [7]), (0x1E, 0, []), (0x18, 0x0100, []), (0xDA, 0x9F58, [9]),
    ]
    var card = try IssuerCard.afterRequest(image)
    var sent = try Self.chain(commands, macCount: count, card, image)
    #expect(try sent.map { try Self.send($0, to: &card) } == ["9000", "9000", "6A86", "9000"])
    #expect(card.state.applications[0].isBlocked && card.state.applications[0].data[0x9F58] == [9])
    card = try IssuerCard.afterRequest(image)
    sent = try Self.chain(commands, macCount: count, card, image)
    #expect(try [sent[0], sent[3]].map { try Self.send($0, to: &card) } == ["9000", "6988"])
    #expect(card.state.applications[0].data[0x9F58] == [7])
  }

  @Test func `a MAC of format 1 with fewer than 4 bytes is refused`() throws {
    let image = try IssuerCard.mastercard()
    for count in [1, 3] {
      var card = try IssuerCard.afterRequest(image)
      let sent = try Self.chain([(0xDA, 0x9F58, [7])], macCount: count, card, image)
      #expect(try Self.send(sent[0], to: &card) == "6988")
      #expect(card.state == CardState(of: image))
    }
  }

  @Test func `the chain of a further payment begins with its own cryptogram`() throws {
    let image = try IssuerCard.mastercard()
    var card = try IssuerCard.afterRequest(image)
    for counter in [UInt16(2), 3] {
      let sent = try Self.chain([(0xDA, 0x9F58, [7])], macCount: 8, card, image)
      #expect(try Self.send(sent[0], to: &card) == "9000")
      card.arm(try arming(for: image, counters: [counter]))
      try IssuerCard.request(&card, image)
    }
  }

  @Test func `a second GENERATE AC declines once the issuer has blocked the application`() throws {
    let image = try IssuerCard.mastercard()
    var card = try IssuerCard.afterRequest(image)
    let data = try IssuerCard.authenticationData(card, image)
    #expect(try card.answer(IssuerCard.externalAuthenticate(data)).status == .ok)
    #expect(try Self.send(IssuerCard.script(0x1E, 0, [], card, image), to: &card) == "9000")
    let response = try card.answer(IssuerCard.second(data))
    #expect(try MastercardPaymentTests.cryptogram(response).information == 0x00)
  }

  @Test func `a Visa card executes a script in its second presentment`() throws {
    let image = try IssuerCard.visa()
    var card = Card(image: image)
    card.arm(try arming(for: image))
    try IssuerCard.request(&card, image)
    let command = try IssuerCard.script(0x1E, 0, [], card, image)
    card.fieldChanged(.lost, at: Instant(nanoseconds: 5))
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    #expect(try Self.send(command, to: &card) == "9000")
    let state = card.state
    var next = Card(image: image, state: state)
    next.arm(try arming(for: image, counters: [2]))
    let response = try IssuerCard.request(&next, image)
    #expect(response.status == .ok && next.record?.kind == .applicationCryptogram(.aac))
  }

  @Test func `offline approvals end at their number and their sum, until the issuer is authenticated`() throws {
    let image = try IssuerCard.mastercard("mastercard-cda", external: false, offline: [("count", 2), ("total", 2468)])
    let rule = try #require(image.applications[0].offlineApproval)
    var state = CardState(of: image)
    // 12.34 each: the third would exceed the number, and the sum of two, which is the limit.
    for (counter, type) in [(UInt16(1), CryptogramType.tc), (2, .tc), (3, .arqc)] {
      var card = Card(image: image)
      card.arm(
        try arming(
          for: image, counters: [counter], state: state, offline: [rule.allowance(after: state.applications[0].offline)]
        ))
      try IssuerCard.request(&card, image, 0x50)
      let record = card.record
      #expect(record?.kind == .applicationCryptogram(type), "\(counter)")
      #expect(record?.offline == (type == .tc ? .approved(1234) : OfflineOutcome.none))
      state.count(record?.offline ?? .none, of: 0)
    }
    #expect(state.applications[0].offline == OfflineApprovals(count: 2, amount: 2468))
    var card = try IssuerCard.afterRequest(image, state: state)
    let data = try IssuerCard.authenticationData(card, image)
    #expect(try card.answer(IssuerCard.second(data)).status == .ok)
    #expect(card.record?.offline == .issuerAuthenticated)
    state.count(.issuerAuthenticated, of: 0)
    #expect(state == CardState(of: image))
  }

  /// An allowance, the amount of tag 9F02, and whether the card approves.
  static let amounts: [(allowed: OfflineApprovals, amount: [UInt8], isApproved: Bool)] = [
    (OfflineApprovals(count: 1, amount: 1234), [0, 0, 0, 0, 0x12, 0x34], true),
    (OfflineApprovals(count: 1, amount: 1233), [0, 0, 0, 0, 0x12, 0x34], false),
    (OfflineApprovals(count: 1, amount: 0), [0, 0, 0, 0, 0, 0], true),
    (OfflineApprovals(count: 1, amount: 0), [0, 0, 0, 0, 0, 1], false), (.none, [0, 0, 0, 0, 0, 0], false),
    // Digits above 9 are no amount, whatever they would be worth.
    (OfflineApprovals(count: 1, amount: 5000), [0, 0, 0, 0, 0, 0x0A], false),
    (OfflineApprovals(count: 1, amount: 5000), [0, 0, 0, 0, 0xA0, 0], false),
    (OfflineApprovals(count: 1, amount: 999_999_999_999), [0xF0, 0, 0, 0, 0, 0], false),
    (OfflineApprovals(count: 1, amount: 999_999_999_999), [0x99, 0x99, 0x99, 0x99, 0x99, 0x99], true),
  ]

  @Test(arguments: amounts.indices)
  func `a card approves amounts of decimal digits up to what its arming allows`(_ index: Int) throws {
    let (allowed, amount, isApproved) = Self.amounts[index]
    let image = try IssuerCard.mastercard("mastercard-cda", external: false, offline: [("count", 2)])
    var card = Card(image: image)
    card.arm(try arming(for: image, offline: [allowed]))
    let application = image.applications[0]
    _ = try card.answer(CommandAPDU.select(name: application.aid.octets))
    _ = try card.answer(Terminal.options(for: application.pdol))
    let values = try #require(application.cdol1).values { $0 == .amountAuthorised ? amount : Terminal.values[$0] }
    _ = try card.answer(CommandAPDU(cla: 0x80, ins: 0xAE, p1: 0x50, p2: 0, data: values, expectedLength: 256))
    #expect(card.record?.kind == .applicationCryptogram(isApproved ? .tc : .arqc))
    // Without a response of the issuer the second cryptogram follows the same rule.
    guard !isApproved else { return }
    _ = try card.answer(IssuerCard.second([]))
    #expect(card.record?.issuer?.second?.type == .aac && card.record?.offline == OfflineOutcome.none)
  }

  @Test func `a script is reported to the wallet also when it changes nothing in the card itself`() throws {
    let image = try IssuerCard.mastercard()
    let commands: [(UInt8, UInt16, [UInt8], CardStateChange)] = [
      (0x18, 0, [], .unblockApplication(0)), (0xDA, 0x9F58, [7], .putData(0x9F58, [7], application: 0)),
      (0xDA, 0x9F58, [7], .putData(0x9F58, [7], application: 0)), (0x1E, 0, [], .blockApplication(0)),
      (0x1E, 0, [], .blockApplication(0)), (0x18, 0, [], .unblockApplication(0)), (0x16, 0, [], .blockCard),
    ]
    var card = try IssuerCard.afterRequest(image)
    var state = card.state
    for (ins, parameters, data, change) in commands {
      let octets = try IssuerCard.script(ins, parameters, data, card, image)
      var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
      let count = buffer.withMutableOctets { room in
        _ = card.respond(to: octets.span, at: Instant(nanoseconds: 0), into: &room)
        #expect(card.unstoredChange == change)
        return card.endChange(isStored: true, into: &room)
      }
      #expect(Array(buffer[..<count]).hex == "9000" && card.unstoredChange == nil)
      state.apply(change)
      #expect(card.state == state)
    }
    for change in [CardStateChange.blockApplication(1), .putData(0x9F58, [8], application: -1)] {
      let before = state
      state.apply(change)
      #expect(state == before)
    }
  }
}
