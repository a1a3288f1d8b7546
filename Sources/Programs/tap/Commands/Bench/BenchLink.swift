import ArgumentParser
import Foundation
import Links
import PCSCReader
import TapLatency
import VirtualCard

/// The link of `tap bench` to a card in this process.
enum BenchLink: String, ExpressibleByArgument, CaseIterable {
  case direct
  case loopback
  case vpcd

  /// A virtual reader looks for its card every 400 ms: a card that comes back sooner seems never to have left.
  private static let absence = Duration.milliseconds(900)

  /// Calls a function with the meeting of card and terminal, and ends what was started for it.
  func withMeeting<Value: Sendable>(
    _ body: @escaping @Sendable (TapConnection) async throws -> Value
  ) async throws -> Value {
    switch self {
    case .direct: return try await body(.direct)
    case .loopback: return try await body(.loopback)
    case .vpcd:
      let service = try await DedicatedThread(named: "readers") { () throws(LinkError) in
        try PrivateReaderService.withVirtualReader(named: "Contactless Bench")
      }.value()
      let result = await Task { try await body(Self.meeting(in: service)) }.result
      await DedicatedThread(named: "readers") { service.close() }.value()
      return try result.get()
    }
  }

  private static func meeting(in service: PrivateReaderService) -> TapConnection {
    // The client library reads the variable when it is first used; only this thread runs until then.
    unsafe setenv("PCSCLITE_CSOCK_NAME", service.socketPath, 1)
    let (reader, port) = (service.readerNames[0], UInt16(truncatingIfNeeded: service.readers[0].channel))
    return .reader(
      name: "vpcd", link: { try VPCDLink(port: port) },
      // Without a limit, which would cost a change of threads: card and pcscd belong to this program.
      field: { () throws(LinkError) in PCSCField(reader: reader, responseLimit: nil) }, absence: absence)
  }
}
