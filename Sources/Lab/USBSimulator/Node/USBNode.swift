internal import Glibc
internal import Links
internal import Octets
internal import POSIX

/// The node of one device: the programs that have opened it, and their requests of usbfs. Only the thread of the bus uses
/// it; after the device was unplugged, programs that have the node open still get answers.
final class USBNode: @unchecked Sendable {
  // @unchecked: it is created on one thread and then used by the thread of the bus alone.
  let tree: DeviceTree
  private let listener: Descriptor
  private var readiness: ReadinessPipe
  private var device: PluggedDevice
  private var connections: [Int32: NodeConnection] = [:]
  /// For each interface that a program has claimed, its connection.
  private var claims: [Int: Int32] = [:]
  /// For each interface that a kernel driver has, its name.
  private var drivers: [Int: String]
  private var requests: [HostTransfer.Identifier: TransferRequest] = [:]
  /// Transfers that have ended and that their programs have not taken yet.
  private var ended: [Int32: [HostTransfer.Completion]] = [:]
  /// The programs that wait for the end of a transfer, with the argument of their call.
  private var waiting: [Int32: UInt64] = [:]
  private(set) var isPlugged = true

  /// Creates the node and its socket; the files of the tree exist.
  init(_ tree: DeviceTree, firmware: any USBFirmware) throws(LinkError) {
    self.tree = tree
    drivers = tree.drivers
    device = PluggedDevice(tree.description, firmware: firmware)
    readiness = try ReadinessPipe(at: tree.nodePath)
    listener = try listeningSocket(at: tree.socketPath, orFailWith: .transmissionFailed)
  }

  var descriptors: [Int32] { [listener.number] + connections.keys }
  var deadline: Instant? { isPlugged ? device.deadline : nil }
  /// Whether the firmware has left the bus by itself.
  var hasLeft: Bool { isPlugged && device.hasLeft }

  /// Does what is due, and answers programs.
  ///
  /// - Parameter ready: The descriptors that are readable, those of other nodes included.
  func work(_ ready: [Int32], at instant: Instant) {
    if isPlugged { device.wake(at: instant) }
    for number in ready {
      if number == listener.number { accept() }
      if let connection = connections[number] { serve(connection, at: instant) }
    }
    passOn()
  }

  /// The device leaves the bus.
  func unplug(at instant: Instant) {
    guard isPlugged else { return }
    device.unplug(at: instant)
    isPlugged = false
    claims = [:]
    passOn()
  }

  // MARK: Programs

  private func accept() {
    // No address is asked for.
    let number = Glibc.accept(listener.number, nil, nil)
    guard number >= 0 else { return pause(for: .milliseconds(1)) }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    connections[number] = NodeConnection(Descriptor(owning: number))
  }

  private func serve(_ connection: NodeConnection, at instant: Instant) {
    do throws(SystemError) {
      guard let call = try connection.receive() else { return close(connection) }
      switch call {
      case .ioctl(let request, let argument):
        try answer(NodeRequest(request), argument, of: connection, at: instant)
      case .read(let address, let count): try read(connection, address, count)
      }
    } catch { close(connection) }
  }

  private func close(_ connection: NodeConnection) {
    let number = connection.number
    for transfer in requests.keys where transfer.connection == number {
      _ = device.discard(transfer)
      requests[transfer] = nil
    }
    _ = device.takeCompletions().map(keep)
    (ended[number], waiting[number], connections[number]) = (nil, nil, nil)
    for interface in claims.keys where claims[interface] == number { setClaim(nil, of: interface) }
  }

  /// Keeps a transfer that has ended for its program.
  private func keep(_ completion: HostTransfer.Completion) {
    guard requests[completion.transfer] != nil else { return }
    ended[completion.transfer.connection, default: []].append(completion)
  }

  /// Passes on transfers that have ended to programs that wait for them.
  private func passOn() {
    _ = device.takeCompletions().map(keep)
    for (number, argument) in waiting where !isPlugged || ended[number]?.isEmpty == false {
      waiting[number] = nil
      guard let connection = connections[number] else { continue }
      do throws(SystemError) { try reap(connection, argument, otherwise: ENODEV) } catch { close(connection) }
    }
    readiness.setReady(ended.values.contains { !$0.isEmpty })
  }

  // MARK: Requests

  /// Answers a read: the node holds the descriptors. libusb 0.1 reads them there.
  private func read(_ connection: NodeConnection, _ address: UInt64, _ count: Int) throws(SystemError) {
    guard isPlugged else { return try connection.end(failingWith: ENODEV) }
    let octets = Array(tree.description.descriptors.dropFirst(connection.position).prefix(max(count, 0)))
    connection.position += octets.count
    try connection.write(octets, at: address)
    try connection.end(octets.count)
  }

  private func answer(
    _ request: NodeRequest?, _ argument: UInt64, of connection: NodeConnection, at instant: Instant
  ) throws(SystemError) {
    switch request {
    case .reapWithoutWaiting: return try reap(connection, argument, otherwise: isPlugged ? EAGAIN : ENODEV)
    case .reap:
      _ = device.takeCompletions().map(keep)
      if isPlugged, ended[connection.number]?.isEmpty != false {
        waiting[connection.number] = argument
        return
      }
      return try reap(connection, argument, otherwise: ENODEV)
    case _ where !isPlugged: return try connection.end(failingWith: ENODEV)
    case .submit: return try submit(connection, argument, at: instant)
    case .discard:
      let isDiscarded = device.discard(.init(connection: connection.number, address: argument))
      return try isDiscarded ? connection.end() : connection.end(failingWith: EINVAL)
    case .control: return try control(connection, argument)
    case .clearHalt:
      device.clearHalt(of: UInt8(truncatingIfNeeded: try number(connection, argument)))
      return try connection.end()
    case .reset:
      device.reset(at: instant)
      return try connection.end()
    case .capabilities:
      // Zero packets, no limit of the packet's size, and transfers that can be taken after the device was unplugged.
      try connection.write(UInt32(0x15).littleEndianOctets, at: argument)
      return try connection.end()
    case .connectionInformation:
      try connection.write(UInt32(tree.number).littleEndianOctets + [0, 0, 0, 0], at: argument)
      return try connection.end()
    case .speed: return try connection.end(device.description.speed == .high ? 3 : 2)
    default: return try claim(request, connection, argument)
    }
  }

  /// Answers requests about the ownership of interfaces.
  private func claim(_ request: NodeRequest?, _ connection: NodeConnection, _ argument: UInt64) throws(SystemError) {
    switch request {
    case .setConfiguration:
      // As the kernel does while any driver or program has an interface.
      guard claims.isEmpty, drivers.isEmpty else { return try connection.end(failingWith: EBUSY) }
      return try connection.end()
    case .claimInterface:
      let interface = try number(connection, argument)
      guard device.description.interfaces.indices.contains(interface) else {
        return try connection.end(failingWith: ENOENT)
      }
      guard drivers[interface] == nil, [nil, connection.number].contains(claims[interface]) else {
        return try connection.end(failingWith: EBUSY)
      }
      setClaim(connection.number, of: interface)
      return try connection.end()
    case .releaseInterface:
      let interface = try number(connection, argument)
      guard claims[interface] == connection.number else { return try connection.end(failingWith: EINVAL) }
      setClaim(nil, of: interface)
      return try connection.end()
    case .setInterface: return try connection.end()
    case .getDriver:
      let interface = try number(connection, argument)
      guard let name = drivers[interface] ?? claims[interface].map({ _ in "usbfs" }) else {
        return try connection.end(failingWith: ENODATA)
      }
      try connection.write(Array(name.utf8) + [0], at: argument &+ 4)
      return try connection.end()
    case .ioctl:
      let words = try connection.memory(at: argument, count: 8)
      let interface = Int(UInt32(littleEndian: words[0..<4]) ?? 0)
      guard NodeRequest(UInt64(littleEndian: words[4..<8]) ?? 0) == .disconnect else {
        return try connection.end(failingWith: ENOTTY)
      }
      guard drivers.removeValue(forKey: interface) != nil else { return try connection.end(failingWith: ENODATA) }
      tree.setDriver(nil, of: interface)
      return try connection.end()
    default: return try connection.end(failingWith: ENOTTY)
    }
  }

  private func setClaim(_ connection: Int32?, of interface: Int) {
    claims[interface] = connection
    tree.setDriver(connection.map { _ in "usbfs" }, of: interface)
  }

  private func number(_ connection: NodeConnection, _ argument: UInt64) throws(SystemError) -> Int {
    Int(UInt32(littleEndian: try connection.memory(at: argument, count: 4)) ?? 0)
  }

  // MARK: Transfers

  private func submit(_ connection: NodeConnection, _ argument: UInt64, at instant: Instant) throws(SystemError) {
    let octets = try connection.memory(at: argument, count: TransferRequest.count)
    guard let request = TransferRequest(octets) else { return try connection.end(failingWith: EINVAL) }
    let transfer = HostTransfer.Identifier(connection: connection.number, address: argument)
    requests[transfer] = request
    let isToHost = request.endpoint & 0x80 != 0
    let isKnown: Bool
    if request.kind == .control {
      keep(try control(connection, request, transfer))
      isKnown = true
    } else if isToHost {
      isKnown = device.receive(transfer, from: request.endpoint, room: request.count)
    } else {
      let sent = try connection.memory(at: request.buffer, count: request.count)
      isKnown = device.send(transfer, to: request.endpoint, sent, at: instant)
    }
    guard isKnown else {
      requests[transfer] = nil
      return try connection.end(failingWith: ENOENT)
    }
    try connection.end()
  }

  /// Performs a control transfer, whose buffer begins with the setup packet.
  private func control(
    _ connection: NodeConnection, _ request: TransferRequest, _ transfer: HostTransfer.Identifier
  ) throws(SystemError) -> HostTransfer.Completion {
    let buffer = try connection.memory(at: request.buffer, count: request.count)
    guard let setup = USBControlRequest(buffer), let answer = device.control(setup, Array(buffer.dropFirst(8))) else {
      return .init(transfer: transfer, status: .stalled, octets: [], count: 0)
    }
    let octets = setup.isToHost ? Array(answer.prefix(min(setup.count, request.count - 8))) : []
    return .init(
      transfer: transfer, status: .done, octets: octets, count: setup.isToHost ? octets.count : request.count - 8)
  }

  private func control(_ connection: NodeConnection, _ argument: UInt64) throws(SystemError) {
    let request = ControlRequest(try connection.memory(at: argument, count: ControlRequest.count))
    guard let setup = USBControlRequest(request.setup) else { return try connection.end(failingWith: EINVAL) }
    let sent = setup.isToHost ? [] : try connection.memory(at: request.buffer, count: setup.count)
    guard let answer = device.control(setup, sent) else { return try connection.end(failingWith: EPIPE) }
    guard setup.isToHost else { return try connection.end(sent.count) }
    let octets = Array(answer.prefix(setup.count))
    try connection.write(octets, at: request.buffer)
    try connection.end(octets.count)
  }

  /// Gives a program its next transfer that has ended.
  private func reap(_ connection: NodeConnection, _ argument: UInt64, otherwise error: Int32) throws(SystemError) {
    _ = device.takeCompletions().map(keep)
    guard ended[connection.number]?.isEmpty == false, let completion = ended[connection.number]?.removeFirst() else {
      return try connection.end(failingWith: error)
    }
    let address = completion.transfer.address
    if let request = requests.removeValue(forKey: completion.transfer) {
      try connection.write(completion.octets, at: request.buffer &+ (request.kind == .control ? 8 : 0))
    }
    let status = UInt32(bitPattern: completion.status.number)
    try connection.write(status.littleEndianOctets, at: address &+ TransferRequest.statusOffset)
    try connection.write(
      UInt32(completion.count).littleEndianOctets, at: address &+ TransferRequest.actualCountOffset)
    try connection.write(address.littleEndianOctets, at: argument)
    try connection.end()
  }
}
