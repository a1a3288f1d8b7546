import Foundation
public import Links
public import ReaderSimulator

/// Two sockets for readers of the ACR122 family, and the driver that brings them into a pcscd. The readers themselves
/// are plugged in and out.
public struct ReaderSlots: Sendable {
  /// Why there is no driver.
  public struct Failure: Error, CustomStringConvertible {
    /// The reason.
    public let description: String
  }

  /// The names of the two readers, as clients see them.
  public let names = ["Simulated ACR122 A 00 00", "Simulated ACR122 B 01 00"]
  /// Where the readers listen.
  public let directory: String

  /// Built beside the test program.
  public static let driver = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "libIFDSimulatedChip.so").path

  /// Adds the readers to a pcscd, which starts anew.
  public init(in pcscd: IsolatedPCSCD) throws {
    guard FileManager.default.fileExists(atPath: Self.driver) else {
      throw Failure(description: "\(Self.driver) is missing: run `swift build --build-tests` first")
    }
    directory = pcscd.directory
    let entries = ["A", "B"].enumerated().map { number, letter in
      """
      FRIENDLYNAME "Simulated ACR122 \(letter)"
      DEVICENAME /dev/null:\(pcscd.directory)/chip\(number)
      LIBPATH \(Self.driver)
      CHANNELID \(number)

      """
    }
    try entries.joined(separator: "\n").write(
      toFile: "\(pcscd.directory)/conf/chips", atomically: true, encoding: .utf8)
    try pcscd.restart()
  }

  /// Plugs readers in.
  public func plug(
    _ layout: SimulatedField.Layout, driverPatience: Duration? = nil, announces: Bool = false,
    timing: FieldTiming = FieldTiming(), faults: FaultPlan = .none,
    card: ScriptedResponder = ChannelContract.responder()
  ) throws(LinkError) -> SimulatedReaders {
    try SimulatedReaders(
      EscapeReader(
        layout, in: directory, driverPatience: driverPatience, announces: announces, timing: timing, faults: faults),
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
