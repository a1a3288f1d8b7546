import ArgumentParser
import EMVTerminal
import Foundation
import Links
import NFCReader
import Octets
import PaymentAcceptance
import POSIX
import ProgramSupport
import ReaderKinds
import USBSimulator

/// The options of `tap readers --evidence`.
struct EvidenceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Collect evidence about a reader: guided steps of some minutes with one test card, and a file that loads as the \
      device of "tap lab usb". It holds no serial number, no account number and no name.
      """, valueName: "file"), completion: .file(extensions: ["json"]))
  var evidence: String?
  @Option(
    help: ArgumentHelp(
      """
      The reader of --evidence: \(ReaderKind.all.map(\.form).joined(separator: ", ")); \
      \(DefaultPlace.help(DefaultPlace.readerVariable)), or else the only reader.
      """, valueName: "reader"), completion: ReaderName.defaultCompletionKind)
  var reader: ReaderName?
  @Flag(help: "Write over a file that exists.")
  var force = false

  func validate() throws {
    try require(evidence != nil || reader == nil, "--reader needs --evidence FILE.")
    try require(evidence != nil || !force, "--force needs --evidence FILE.")
    try require(reader?.kind.isDevice ?? true, "--reader needs a device, such as pcsc:NAME.")
  }

  /// Does the steps, and writes the file.
  ///
  /// - Returns: `Exit.notRight` when a step has failed.
  func run(to path: String, as format: OutputFormat) async throws -> Exit {
    let file = OutputFile(path: path, isReplaced: force)
    try file.check()
    let place = try DefaultPlace.value(reader, else: DefaultPlace.readerVariable, for: "--reader")
    let (configuration, skips) = (try ShippedTerminal.forEveryCard(), SkippedSteps())
    let terminal = PaymentAcceptance(
      configuration: configuration, host: ShippedCards.host(),
      restarts: RestartLimits(count: 1, duration: EvidenceRun.readiness))
    let request = try PaymentOrder(amount: "1.00", currency: "EUR").request(at: configuration)
    skips.start()
    let document = try await DedicatedThread(named: "evidence") { () throws(LinkError) in
      let reader = try Self.reader(place)
      let survey = SetupSurvey(environment: ProcessInfo.processInfo.environment)
      let run = EvidenceRun(
        reader, .begun(at: reader.prefix, drivers: survey.driverVersions), survey, skips,
        EvidenceProgress(format: format), terminal: terminal, request: request)
      return run.document()
    }.value()
    return try finish(document, file, as: format)
  }

  /// The named reader, or the only one: of PC/SC, and without any of libnfc.
  private static func reader(_ place: ReaderName?) throws(LinkError) -> EvidenceReader {
    guard let place else {
      do throws(LinkError) {
        return try EvidenceReader(.pcsc, "")
      } catch {
        guard let devices = try? NFCDevice.connstrings(), let only = devices.first, devices.count == 1 else {
          throw error
        }
        return try EvidenceReader(.nfc, only)
      }
    }
    guard let kind = ReaderKind.all.first(where: { $0.prefix == place.kind.prefix }) else {
      throw LinkError(.readerUnavailable, "\(place.kind.prefix):\(place.name) is no device: name one such as pcsc:NAME")
    }
    return try EvidenceReader(kind, place.name)
  }

  private func finish(_ document: ReaderDocument, _ file: OutputFile, as format: OutputFormat) throws -> Exit {
    let evidence = document.evidence
    try file.writeAndReport(document.text(origin: "tap readers --evidence, \(evidence?.date ?? "")").utf8)
    let row = document.row ?? ""
    let failed = evidence?.steps(.failed).map(\.rawValue) ?? []
    try format.print(
      row,
      json: [
        "evidence": file.path, "row": row, "passed": evidence?.steps(.passed).map(\.rawValue) ?? [], "failed": failed,
        "skipped": evidence?.steps(.skipped).map(\.rawValue) ?? [],
      ])
    return failed.isEmpty ? .done : .notRight
  }
}

extension ReaderEvidence {
  /// Evidence of today without results.
  fileprivate static func begun(at place: String, drivers: [String: String]) -> ReaderEvidence {
    let packages = place == "nfc" ? ["libnfc6", "libusb-1.0-0"] : ["pcscd", "libccid"]
    return ReaderEvidence(
      date: CalendarTime(utc: SystemWallClock().now).date, program: "tap \(BuildVersion.number)", place: place,
      drivers: drivers.filter { packages.contains($0.key) })
  }
}
