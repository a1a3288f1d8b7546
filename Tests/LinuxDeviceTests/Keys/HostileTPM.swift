import Foundation
import Octets
import TestSupport

/// A TPM that answers every command with bytes of a generator: a response that is right in its form, with any content,
/// or one whose length is wrong.
final class HostileTPM: Sendable {
  private let scratch: Scratch
  private let listeners: [Int32]

  init(seed: UInt64) throws {
    scratch = try Scratch()
    let random = SeededRandomSource(seed: seed)
    let paths = [scratch.path("tpm"), scratch.path("tpm.ctrl")]
    listeners = try paths.map { path in
      guard let listener = LocalSocket.listen(at: path) else {
        throw MissingComponent(description: "no socket \(path)")
      }
      return listener
    }
    let (commands, control) = (listeners[0], listeners[1])
    Thread.detachNewThread { Self.serve(commands) { Self.response(random) } }
    // The control channel reports success.
    Thread.detachNewThread { Self.serve(control) { [UInt8](repeating: 0, count: 8) } }
  }

  deinit { for listener in listeners { shutdown(listener, Int32(SHUT_RDWR)) } }

  var transport: String { "swtpm:path=\(scratch.path("tpm"))" }

  private static func serve(_ listener: Int32, _ answer: () -> [UInt8]) {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { break }
      var command = [UInt8](repeating: 0, count: 4096)
      // The client opens a connection for each command, and waits for the announced bytes until the end.
      if read(client, &command, command.count) > 0 {
        let octets = answer()
        _ = send(client, octets, octets.count, Int32(MSG_NOSIGNAL))
      }
      close(client)
    }
    close(listener)
  }

  private static func response(_ random: SeededRandomSource) -> [UInt8] {
    let choice = random.octets(4)
    let body = random.octets(Int(choice[0]) * (choice[1] < 20 ? 16 : 1))
    let count = UInt32(body.count + 10)
    let announced: UInt32
    switch choice[2] {
    case 0..<30: announced = count + UInt32(choice[3])
    case 30..<60: announced = UInt32(choice[3]) % count
    case 60..<70: announced = .max
    default: announced = count
    }
    // With and without sessions (TPM_ST_NO_SESSIONS, TPM_ST_SESSIONS); the response code is success in most cases.
    let code = choice[1] > 230 ? UInt32(choice[3]) << 4 : 0
    let whole =
      UInt16(0x8001 + UInt16(choice[3] & 1)).bigEndianOctets + announced.bigEndianOctets + code.bigEndianOctets + body
    return choice[2] > 240 ? Array(whole.prefix(Int(choice[3]) % 10)) : whole
  }
}
