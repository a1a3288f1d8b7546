import ArgumentParser
import EMVCard
import EMVTerminal
import Links
import Octets
import PaymentAcceptance
import Transcripts
import PaymentSimulation

/// Who decides on online requests.
enum IssuerName: String, ExpressibleByArgument, CaseIterable {
  case test
  case none
}

/// Payments at the reader of a READER name, whichever that is.
struct ReaderTap: Sendable {
  private enum Place: Sendable {
    case acr122(name: String)
    case loopback(LoopbackPayment, LoopbackPayment.Faults?)
    case nfc(connstring: String)
    case pcsc(name: String)
    case replay(Transcript)
  }

  private let place: Place
  /// How long to wait for a card, and within which further taps of the same payment may begin.
  var timeout = Duration.seconds(60)
  /// How often the same payment is tried again; at real readers.
  var restarts = 0
  var issuer = IssuerName.test
  /// Whether the holder of a card in this process is verified.
  var isVerified = true

  /// Provisions the card, or reads the recording; nothing is asked of a real reader yet.
  ///
  /// - Parameters:
  ///   - taps: For how many payments a card in this process has keys.
  ///   - faults: How the faults of such a card are told; nil for a card that answers as it should.
  init(_ reader: ReaderName, taps: Int = 1, faults: OutputFormat? = nil) async throws {
    switch reader {
    case .acr122(let name): place = .acr122(name: name)
    case .loopback(let file):
      let image = try Files.card(file, faults: faults != nil)
      let plan = try faults.map { format in
        LoopbackPayment.Faults(try Files.faultPlan(file)) { Console.note($0, as: format) }
      }
      place = .loopback(try await LoopbackPayment(image: image, leastUses: taps), plan)
    case .nfc(let connstring): place = .nfc(connstring: connstring)
    case .pcsc(let name): place = .pcsc(name: name)
    case .replay(let file): place = .replay(try RecordingFile.transcript(at: file))
    }
  }

  /// What is replayed; nil at any other reader.
  var recording: Transcript? {
    if case .replay(let transcript) = place { transcript } else { nil }
  }

  /// Whether a person holds the card.
  var isReal: Bool {
    switch place {
    case .loopback, .replay: false
    case .acr122, .nfc, .pcsc: true
    }
  }

  /// Waits until the card has left, as far as the reader can tell: a chip that is driven directly cannot, and gives the
  /// person two seconds.
  func waitForRemoval() async throws {
    switch place {
    case .loopback, .replay: return
    case .acr122, .nfc: try await Task.sleep(for: .seconds(2))
    case .pcsc(let name):
      let tap = PCSCTap(name: name, timeout: timeout)
      try await DedicatedThread(named: "terminal") { () throws(LinkError) in try tap.waitForRemoval() }.value()
    }
  }

  /// When the payment takes place: now, or when the recording was made. What the recorded terminal told the card is
  /// what this one must tell it.
  var moment: TransactionMoment {
    recording.flatMap { $0.clock ?? RecordedTerminalData($0).clock } ?? .now()
  }

  /// Waits for a card and takes the payment.
  func run(_ request: PaymentRequest, at configuration: TerminalConfiguration) async throws -> PaymentResult {
    switch place {
    case .acr122(let name):
      let (side, tap) = (try side(configuration), ACR122Tap(name: name))
      return try await onThread { () throws(LinkError) in try tap.run(request, at: side) }
    case .loopback(let tap, let faults):
      let side = PaymentAcceptance(configuration: configuration, host: try host(knowing: [tap.image]))
      guard isVerified else { return try await tap.refusal(of: request, at: side) }
      return try await tap.run(request, at: side, faults: faults).result
    case .pcsc(let name):
      let (side, tap) = (try side(configuration), PCSCTap(name: name, timeout: timeout))
      return try await onThread { () throws(LinkError) in try tap.run(request, at: side) }
    case .nfc(let connstring):
      let (side, tap) = (try side(configuration), NFCTap(connstring: connstring))
      return try await onThread { () throws(LinkError) in try tap.run(request, at: side) }
    case .replay(let transcript):
      let recorded = issuer == .none ? nil : transcript[.host].map(RecordedHost.init)
      let host = try recorded ?? host(knowing: [])
      return try ReplayTap(transcript: transcript, configuration: configuration, host: host).run(request)
    }
  }

  /// Links block: never on the threads that all tasks share.
  private func onThread(
    _ tap: @escaping @Sendable () throws(LinkError) -> PaymentResult
  ) async throws -> PaymentResult {
    let result = try await DedicatedThread(named: "terminal", tap).value()
    // Without any card there is nothing to report of the payment but the link's error.
    if case .failure(let failure) = result, let error = failure.linkError, result.record.cards.isEmpty { throw error }
    return result
  }

  /// A terminal at a real reader.
  private func side(_ configuration: TerminalConfiguration) throws -> PaymentAcceptance {
    PaymentAcceptance(
      configuration: configuration, host: try host(knowing: []),
      restarts: RestartLimits(count: restarts, duration: timeout))
  }

  private func host(knowing images: [CardImage]) throws -> any AuthorizationHost {
    issuer == .none ? NoHost() : TestIssuerHost(knowing: try ShippedCards.all() + images)
  }
}
