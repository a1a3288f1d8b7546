import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVData
import EMVIssuer
import EMVTerminal
import Foundation
import ISO7816
import MeasuredSession
import Octets
import PaymentAcceptance
import PaymentSimulation
import Peers
import Transcripts

/// What is done beside the commands of a card: in a terminal, in a wallet and in a replay.
enum Work {
  private static let count = 20_000

  /// Parts of a tap, beside `memcpy` of a response and a reading of the clock.
  static func parts() throws -> [Samples] {
    let image = try MeasuredSession.image("mastercard-cvn21")
    var card = Card(image: image)
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    let selection =
      [0x00, 0xA4, 0x04, 0x00, UInt8(image.applications[0].aid.octets.count)]
      + image.applications[0].aid.octets + [0x00]
    let length = answer(&card, selection, &buffer)
    let response = Array(buffer[..<(length - 2)])
    let source = [UInt8](repeating: 0x5A, count: 258)
    let list = image.applications[0].cdol1 ?? DataObjectList(entries: [])
    var data = TerminalData()
    for entry in list.entries { data[entry.tag] = [UInt8](repeating: 1, count: entry.count) }
    var sink = 0
    let samples = [
      Samples("reading of the clock", count: count) {},
      Samples("memcpy of 258 octets", count: count, repetitions: 100) {
        buffer.withUnsafeMutableBytes { $0.copyBytes(from: source) }
        sink += Int(buffer[sink & 0x7F])
      },
      Samples("refusal: unknown instruction", count: count, repetitions: 100) {
        sink += answer(&card, [0x00, 0xFF, 0x00, 0x00, 0x00], &buffer)
      },
      try Samples("TLV: walk through \(response.count) bytes", count: count, repetitions: 100) {
        sink += try octets(of: response.span)
      },
      Samples("DOL: \(list.valueCount) bytes of values", count: count, repetitions: 100) {
        sink += list.values { data[$0] }.count
      },
    ]
    guard sink > 0 else { throw CocoaError(.featureUnsupported) }
    return samples
  }

  private static func answer(_ card: inout Card, _ command: [UInt8], _ buffer: inout [UInt8]) -> Int {
    buffer.withMutableOctets { card.respond(to: command.span, at: Instant(nanoseconds: 0), into: &$0) }
  }

  private static func octets(of object: Span<UInt8>) throws(TLVError) -> Int {
    var reader = TLVReader(object)
    var sum = 0
    while let next = try reader.next() {
      sum += next.tag.isConstructed ? try octets(of: object.extracting(next.value)) : next.value.count
    }
    return sum
  }

  /// Whole payments in this process, their replays, and reservations of a store.
  static func payments(
    _ request: PaymentRequest, at configuration: TerminalConfiguration, count: Int
  ) async throws -> [Samples] {
    let image = try MeasuredSession.image("mastercard-cvn21")
    let host = TestIssuerHost(knowing: [image])
    let terminal = PaymentAcceptance(configuration: configuration, host: host)
    let payment = try await LoopbackPayment(image: image, leastUses: 2 * count)
    var (taps, armings): ([Int64], [Int64]) = ([], [])
    var last: PaymentResult?
    let clock = SystemClock()
    for number in 0..<2 * count {
      let begun = clock.now.nanoseconds
      let (result, arming) = try await payment.run(request, at: terminal)
      if number >= count {
        taps.append(clock.now.nanoseconds - begun)
        armings.append(arming.components.attoseconds / 1_000_000_000 + arming.components.seconds * 1_000_000_000)
      }
      last = result
    }
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Fixtures/Terminals/attended-eur.json")
    guard let transcript = last?.transcript(ofTerminal: [UInt8](try Data(contentsOf: file))) else { return [] }
    let replay = TerminalReplay(transcript, configuration: configuration, host: host)
    return [
      Samples("verification and arming", armings),
      Samples("verification, arming, tap, settlement", taps),
      try Samples("replay of the tap", count: count) { _ = try replay.pay(request) },
      try await reservations(image),
      Samples("pyemv: session key and cryptogram", try Peers.times(["cryptogram", String(count)])),
    ]
  }

  /// A use reserved and released, in the store in memory.
  private static func reservations(_ image: CardImage) async throws -> Samples {
    let store = InMemoryWalletStore()
    let device = SimulatedDevice(user: .approve)
    device.setPasscode("1234")
    device.enrolBiometric()
    let wallet = Wallet(store: store, device: device.ports)
    try await wallet.configure(.biometricOnly)
    let application = image.applications[0]
    let issuer = TestIssuer()
    let account = IssuerAccount(
      accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber,
      cryptogramVersion: application.cryptogramVersion)
    try await wallet.add(
      "card", image,
      keys: [
        LimitedUseKey(
          masterKey: issuer.cardMasterKey(of: account), cvc3Key: nil, firstCounter: application.firstATC, uses: 60_000)
      ])
    return try Samples("store in memory: reserve and release", count: 5_000) {
      let uses = try store.reserve("card")
      let id = uses.id
      try store.settle(id, spent: [])
    }
  }
}
