import Foundation
public import Links
public import ReaderSimulator
import VirtualCard

/// Two sockets for readers of the ACR122 family, in the configuration of a pcscd. The readers are plugged in and
/// unplugged with `plug`.
public struct ReaderSlots: Sendable {
  /// The names of the two readers, as programs see them.
  public let names: [String]
  /// The directory of the sockets.
  public let directory: String

  /// The path of the driver, which is built beside the test program.
  public static let driver = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "libIFDSimulatedChip.so").path

  /// Adds the readers to a pcscd, which starts again.
  ///
  /// - Throws: `LinkError`, also when the driver is missing: `tools/test` builds it.
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

/// Readers that are plugged in until their owner is released.
public final class SimulatedReaders: Sendable {
  /// The readers.
  public let reader: EscapeReader
  private let thread: DedicatedThread<Void, LinkError>

  init(_ reader: EscapeReader, card: ScriptedResponder) {
    self.reader = reader
    thread = serving(reader, card)
  }

  /// Unplugs the readers.
  public func unplug() throws(LinkError) {
    reader.stop()
    try thread.join()
  }

  deinit {
    reader.stop()
    _ = try? thread.join()
  }
}
