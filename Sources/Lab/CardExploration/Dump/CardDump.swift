internal import EMVData
internal import ISO7816
public import Links

/// Reads what a card gives without a payment: its directory, the responses to SELECT, the data objects of GET DATA, and
/// records.
///
/// No command of it asks for a cryptogram by itself. GET PROCESSING OPTIONS makes some cards compute one and advances
/// their transaction counter, so it is sent only on request.
public struct CardDump<Observer: ExchangeObserver>: PatientVisitor {

  /// The data objects that GET DATA may return (EMV 4.4 Book 3, 6.5.7, and Book C-2, 4.4).
  private static var objects: [UInt16] { [0x9F36, 0x9F13, 0x9F17, 0x9F4F, 0x9F5D] }
  /// Short file identifiers of payment applications: 1 to 10 by EMV, 11 to 30 by the scheme or the issuer
  /// (EMV 4.4 Book 3, 5.3.2.2).
  private static var files: ClosedRange<UInt8> { 1...30 }
  /// Records of a file that are tried: cards rarely have more than 8.
  private static var records: ClosedRange<UInt8> { 1...16 }

  private let applications: [[UInt8]]
  private let sendsOptions: Bool
  /// The exchanges so far.
  public private(set) var exchanges = CardExchanges()
  /// Receives the exchanges.
  public private(set) var observer: Observer
  /// Why the reading ended early; nil when it did not.
  public private(set) var failure: LinkError?

  /// Creates a dump.
  ///
  /// - Parameters:
  ///   - applications: Names of applications beside those of the directory, 5 to 16 bytes each.
  ///   - sendsOptions: Whether GET PROCESSING OPTIONS is sent, with an amount of zero.
  public init(applications: [[UInt8]] = [], sendsOptions: Bool = false, observer: Observer) {
    (self.applications, self.sendsOptions, self.observer) = (applications, sendsOptions, observer)
  }

  /// The failure of a card that left before its first response; nil otherwise.
  public var unansweredFailure: LinkError? { exchanges.hasAnswer ? nil : failure }

  /// Reads the card.
  public mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    (exchanges, failure) = (CardExchanges(), nil)
    exchanges.identify(channel.identity)
    do throws(LinkError) {
      for name in try names(&channel) { try read(name, &channel) }
    } catch {
      failure = error
    }
  }

  private mutating func send<Channel: CardChannel & ~Copyable>(
    _ command: CommandAPDU, _ channel: inout Channel
  ) throws(LinkError) -> ResponseAPDU {
    let recording = exchanges.recording
    return try exchanges.send(command.encoded, over: &channel) { observer.observe($0, of: recording) }
  }

  /// The names of the card's directory, or those that are known, then those that were asked for.
  private mutating func names<Channel: CardChannel & ~Copyable>(
    _ channel: inout Channel
  ) throws(LinkError) -> [[UInt8]] {
    let directory = try send(.select(name: FileControlInformation.ppseName), &channel)
    let listed = (try? FileControlInformation(parsing: directory.data))?.directory.map(\.adfName.octets) ?? []
    let names =
      (listed.isEmpty && applications.isEmpty ? PaymentScheme.knownApplications : listed) + applications
    return names.enumerated().filter { names.firstIndex(of: $1) == $0 }.map(\.element)
  }

  private mutating func read<Channel: CardChannel & ~Copyable>(
    _ name: [UInt8], _ channel: inout Channel
  ) throws(LinkError) {
    let selected = try send(.select(name: name), &channel)
    guard !selected.status.isRefusal else { return }
    // Before GET DATA, after which some phones leave the application.
    if sendsOptions { try readOptions(selected.data, &channel) }
    for tag in Self.objects { _ = try send(.getData(tag), &channel) }
    try readLog(selected.data, &channel)
    if !sendsOptions { try readFiles(&channel) }
  }

  private mutating func readOptions<Channel: CardChannel & ~Copyable>(
    _ selected: [UInt8], _ channel: inout Channel
  ) throws(LinkError) {
    let information = try? FileControlInformation(parsing: selected)
    let response = try send(ZeroAmountOptions.command(for: information?.pdol), &channel)
    for (sfi, record) in ZeroAmountOptions.locator(response.data)?.records ?? [] {
      _ = try send(.readRecord(record, sfi: sfi), &channel)
    }
  }

  /// Reads the transaction log up to its first missing record. Tag 9F4D of the application names its file and the number of
  /// its records (EMV 4.4 Book 3, annex D).
  private mutating func readLog<Channel: CardChannel & ~Copyable>(
    _ selected: [UInt8], _ channel: inout Channel
  ) throws(LinkError) {
    guard let entry = (try? [TLVNode](parsing: selected.span))?.first(0x9F4D)?.value, entry.count == 2,
      Self.files.contains(entry[0]), entry[1] > 0
    else { return }
    for record in 1...entry[1] {
      guard try !send(.readRecord(record, sfi: entry[0]), &channel).status.isRefusal else { return }
    }
  }

  /// Reads records without their list. A card that refuses the first for its state refuses all.
  private mutating func readFiles<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) throws(LinkError) {
    for sfi in Self.files {
      for record in Self.records {
        let status = try send(.readRecord(record, sfi: sfi), &channel).status
        if !status.isRefusal { continue }
        if ![.recordNotFound, .notFound].contains(status) { return }
        break
      }
    }
  }
}
