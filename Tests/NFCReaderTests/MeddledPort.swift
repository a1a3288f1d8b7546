import Glibc
import Links
import Synchronization

/// A serial port before another one: everything passes, but while it meddles, the status octet of one response has bit 7
/// set, which no chip sends and at which libnfc calls abort().
final class MeddledPort: Sendable {
  let path: String
  private let code: UInt8
  private let own: Int32
  private let spare: Int32
  private let other: Int32
  private let isMeddling = Atomic(false)
  private let isStale = Atomic(false)
  private let isEnded = Atomic(false)
  private let thread = Mutex<DedicatedThread<Void, Never>?>(nil)

  struct Failure: Error {}

  /// - Parameter code: Of the response to meddle with: 41 for InDataExchange, 87 for TgGetData.
  init(_ behind: String, code: UInt8 = 0x41) throws {
    self.code = code
    own = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN (man 4 pts).
    var (unlocked, number): (Int32, Int32) = (0, 0)
    guard own >= 0, ioctl(own, 0x4004_5431, &unlocked) == 0, ioctl(own, 0x8004_5430, &number) == 0 else {
      throw Failure()
    }
    path = "/dev/pts/\(number)"
    // With a side of our own, the peer may close the port and come back.
    spare = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    other = open(behind, O_RDWR | O_NOCTTY | O_CLOEXEC)
    for descriptor in [spare, other] {
      var settings = termios()
      tcgetattr(descriptor, &settings)
      cfmakeraw(&settings)
      tcsetattr(descriptor, TCSANOW, &settings)
    }
    let running = DedicatedThread(named: "port") { self.pass() }
    thread.withLock { $0 = running }
  }

  /// Ends the passing on, after which the port goes with its owner.
  func end() {
    isEnded.store(true, ordering: .releasing)
    thread.withLock { $0.take() }?.join()
  }

  deinit {
    for descriptor in [own, spare, other] { close(descriptor) }
  }

  func setMeddling(_ isWanted: Bool) { isMeddling.store(isWanted, ordering: .releasing) }

  /// Lets the chip say something that nobody waits for any more, before whatever it says next.
  func speakOutOfTurn() { isStale.store(true, ordering: .releasing) }

  private func pass() {
    while !isEnded.load(ordering: .acquiring) {
      var entries = [
        pollfd(fd: own, events: Int16(POLLIN), revents: 0), pollfd(fd: other, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&entries, 2, 20) > 0 else { continue }
      if entries[0].revents != 0 { move(from: own, to: other) { $0 } }
      if entries[1].revents != 0 { move(from: other, to: own) { self.meddled($0) } }
    }
  }

  private func move(from source: Int32, to target: Int32, _ change: ([UInt8]) -> [UInt8]) {
    var room = [UInt8](repeating: 0, count: 4096)
    let count = read(source, &room, room.count)
    guard count > 0 else {
      usleep(1_000)
      return
    }
    let octets = change(Array(room[..<count]))
    _ = write(target, octets, octets.count)
  }

  /// What TgInitAsTarget answers, in its frame.
  private static let activation: [UInt8] = [0, 0, 0xFF, 0x05, 0xFB, 0xD5, 0x8D, 0x08, 0xE0, 0x80, 0x36, 0]

  /// ... LEN LCS D5 code status ... DCS 00, in one piece, as the simulator writes it.
  private func meddled(_ octets: [UInt8]) -> [UInt8] {
    if isStale.exchange(false, ordering: .acquiringAndReleasing) { return Self.activation + octets }
    guard isMeddling.load(ordering: .acquiring), octets.count > 5,
      let start = octets.indices.dropLast(4).first(where: { octets[$0] == 0xD5 && octets[$0 + 1] == code })
    else { return octets }
    var octets = octets
    octets[start + 2] ^= 0x80
    octets[octets.count - 2] &-= 0x80
    return octets
  }
}
