import Glibc
import ReaderSimulator

/// A host of a simulated PN532 without libnfc, for commands that libnfc does not send.
final class RawChip {
  struct Failure: Error {
    let command: [UInt8]
    let came: [UInt8]
  }

  private let descriptor: Int32

  /// Opens the port and wakes the chip.
  init(_ path: String) throws {
    descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var settings = termios()
    tcgetattr(descriptor, &settings)
    cfmakeraw(&settings)
    tcsetattr(descriptor, TCSANOW, &settings)
    send([0x55, 0x55] + [UInt8](repeating: 0, count: 14))
    _ = try run([0x14, 0x01])
  }

  deinit { close(descriptor) }

  private func send(_ octets: [UInt8]) { _ = write(descriptor, octets, octets.count) }

  /// Sends a command and waits for its response.
  ///
  /// - Returns: The bytes after the response's code.
  func run(_ command: [UInt8]) throws -> [UInt8] {
    send(HSUFrame.information(command).octets(identifier: HSUFrame.hostIdentifier))
    var came: [UInt8] = []
    for _ in 0..<100 {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 100) > 0 else { continue }
      var room = [UInt8](repeating: 0, count: 4096)
      let count = read(descriptor, &room, room.count)
      guard count > 0 else { break }
      came += room[..<count]
      // A response arrives in one piece: ... D5 code data DCS 00.
      if let place = came.indices.dropLast(3).first(where: { came[$0] == 0xD5 && came[$0 + 1] == command[0] + 1 }) {
        return Array(came[(place + 2)...].dropLast(2))
      }
    }
    throw Failure(command: command, came: came)
  }
}
