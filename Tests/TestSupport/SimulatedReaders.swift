import Foundation
public import Links
public import ReaderSimulator
import VirtualCard

/// Two sockets for readers of the ACR122 family, and the driver that brings them into a pcscd. The readers themselves
/// are plugged in and out.
public struct ReaderSlots: Sendable {
  /// The names of the two readers, as clients see them.
  public let names: [String]
  /// Where the readers listen.
  public let directory: String

  /// Built beside the test program.
  public static let driver = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "libIFDSimulatedChip.so").path

  /// Adds the readers to a pcscd, which starts anew.
  ///
  /// - Throws: `LinkError`, also when the driver was not built: `swift build --build-tests` does that.
  public init(in pcscd: IsolatedPCSCD) throws(LinkError) {
    let directory = pcscd.directory
    self.directory = directory
    let entries = ["A", "B"].enumerated().map { number, letter in
      ReaderEntry(
        friendlyName: "Simulated ACR122 \(letter)", deviceName: "/dev/null:\(directory)/chip\(number)",
        driver: Self.driver, channel: UInt32(number))
    }
    try pcscd.service.restart(readers: pcscd.service.readers + entries)
    names = Array(pcscd.service.readerNames.suffix(2))
  }

  /// Plugs readers in.
  public func plug(
    _ layout: SimulatedField.Layout, driverTimeout: Duration? = nil, announces: Bool = false,
    timing: FieldTiming = FieldTiming(), faults: FieldFaultPlan = .none,
    card: ScriptedResponder = ChannelContract.responder()
  ) throws(LinkError) -> SimulatedReaders {
    try SimulatedReaders(
      EscapeReader(
        layout, in: directory, driverTimeout: driverTimeout, announces: announces, timing: timing, faults: faults),
      card: card)
  }
}

/// Readers that are plugged in as long as their owner lives.
public final class SimulatedReaders: Sendable {
  /// The readers.
  public let reader: EscapeReader
  private let thread: DedicatedThread<Void, LinkError>

  init(_ reader: EscapeReader, card: ScriptedResponder) {
    self.reader = reader
    thread = serving(reader, card)
  }

  /// Pulls the readers out.
  public func unplug() throws(LinkError) {
    reader.stop()
    try thread.join()
  }

  deinit {
    reader.stop()
    _ = try? thread.join()
  }
}
