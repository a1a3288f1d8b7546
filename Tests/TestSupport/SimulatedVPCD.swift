internal import Glibc
internal import Octets

/// A vpcd for tests: one TCP listener and one card.
public final class SimulatedVPCD {
  private let listener: Int32
  /// The TCP port.
  public let port: UInt16
  private var card: Int32 = -1

  /// Listens at a free port of this machine.
  public init(backlog: Int32 = 1) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(listener, raw, size) == 0 && listen(listener, backlog) == 0 && getsockname(listener, raw, &size) == 0
      }
    }
    precondition(bound, "no local port for the test")
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit {
    leave()
    close(listener)
  }

  /// Waits for a card, at most 60 s. Without a card, all reads return nil.
  public func accept() {
    var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 60_000) == 1 else { return }
    card = Glibc.accept(listener, nil, nil)
  }

  /// Waits for the card of a program until the program has ended. Returns whether there is a card.
  public func accept(of run: ProgramRun) -> Bool {
    var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    while poll(&entry, 1, 20) != 1 {
      if run.poll() != nil { return false }
    }
    card = Glibc.accept(listener, nil, nil)
    return true
  }

  /// Closes the connection to the card.
  public func leave() {
    if card >= 0 { close(card) }
    card = -1
  }

  /// Connects to the listener, to fill its backlog.
  public func occupy() -> Int32 {
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        _ = connect(client, raw, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return client
  }

  /// The bytes of a frame: its length in two bytes, and its content.
  public static func frame(_ payload: [UInt8]) -> [UInt8] {
    [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
  }

  /// Sends bytes unchanged, `step` at a time.
  public func send(raw octets: [UInt8], step: Int = .max) {
    var rest = octets[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(step))
      let count = Glibc.send(card, part, part.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends one frame.
  public func send(_ payload: [UInt8], step: Int = .max) {
    send(raw: Self.frame(payload), step: step)
  }

  /// Sends one frame as vpcd does: length and payload in two calls, so that Nagle's algorithm delays the payload until
  /// the length is acknowledged.
  public func sendInTwo(_ payload: [UInt8]) {
    let frame = Self.frame(payload)
    send(raw: Array(frame.prefix(2)))
    send(raw: Array(frame.dropFirst(2)))
  }

  /// Reads one frame; nil when the card has closed the connection.
  public func receive() -> [UInt8]? {
    guard let length = read(2), let payload = read(Int(length[0]) << 8 | Int(length[1])) else { return nil }
    return payload
  }

  /// Reads all bytes until the card has closed the connection.
  public func receiveRest() -> [UInt8] {
    var octets: [UInt8] = []
    while let next = read(1) { octets += next }
    return octets
  }

  private func read(_ count: Int) -> [UInt8]? {
    var octets: [UInt8] = []
    while octets.count < count {
      var part = [UInt8](repeating: 0, count: count - octets.count)
      let got = recv(card, &part, part.count, 0)
      guard got > 0 else { return nil }
      octets += part.prefix(got)
    }
    return octets
  }

  /// Whether a frame, or the end of the connection, can be read now.
  public var isReadable: Bool {
    var entry = pollfd(fd: card, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  /// Sends a command and reads the response.
  public func exchange(_ command: [UInt8], step: Int = .max) -> [UInt8]? {
    send(command, step: step)
    return receive()
  }

  /// Switches the field on.
  public func powerOn() { send([0x01]) }

  /// Switches the field off.
  public func powerOff() { send([0x00]) }

  /// Sends commands, each when the response to the one before has come. Returns the responses; a card that has left gives none.
  ///
  /// - Parameter commands: Hexadecimal digits.
  public func responses(to commands: [String]) -> [String] {
    commands.compactMap { command in
      let octets = (try? [UInt8](hex: command)) ?? []
      return exchange(octets)?.hex
    }
  }
}
