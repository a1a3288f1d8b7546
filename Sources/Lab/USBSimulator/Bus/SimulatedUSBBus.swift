internal import Foundation
public import Links
internal import Octets
internal import POSIX

/// A USB bus that exists only for the programs that are started with its `environment`: they find its devices in `/sys`,
/// open their nodes, and get messages about devices that are plugged in and unplugged. The programs and their libraries are
/// unmodified; the library of umockdev is preloaded.
///
/// The kernel has no part in it: programs without the environment do not find the devices, no kernel driver takes them,
/// and permissions are not checked.
public final class SimulatedUSBBus: Sendable {
  /// The library of the package umockdev.
  public static let library = "libumockdev-preload.so.0"

  private struct State {
    var nodes: [USBNode] = []
    /// The devices to unplug, by their numbers on the bus.
    var departures: Set<Int> = []
    var plugged: [ObjectIdentifier: Int] = [:]
    var lastNumber = 1
    var eventCount = 0
    var isClosed = false
  }

  /// The directory of the bus. It is removed with the bus.
  public let directory: String
  private let signal: WakeSignal
  private let state = WaitableState(State())
  private let events: UEventQueue

  /// Creates a bus without devices.
  ///
  /// - Throws: `LinkError`: `.serviceUnavailable` when umockdev is not installed, `.transmissionFailed` when the files of
  ///   the bus cannot be written.
  public init() throws(LinkError) {
    guard Self.isInstalled else {
      throw LinkError(
        .serviceUnavailable,
        "the library \(Self.library), which shows a simulated USB bus to programs, is not installed: apt-get install -y umockdev"
      )
    }
    do throws(SystemError) {
      directory = try Self.makeDirectory()
    } catch {
      throw LinkError(.transmissionFailed, "cannot create a directory for a simulated USB bus in /tmp: \(error)")
    }
    signal = try WakeSignal.ofLink()
    events = UEventQueue(root: directory)
    try DeviceTree.create(in: directory)
    let (state, signal, events) = (state, signal, events)
    _ = DedicatedThread(named: "usb") { Self.run(state, signal, events) }
  }

  /// Below /dev, as the nodes of devices are: programs such as tap-nfc give up the right to write elsewhere. Not every
  /// container has a place for files there. The names are short, since the path of a socket has at most 107 bytes.
  private static func makeDirectory() throws(SystemError) -> String {
    do throws(SystemError) {
      return try makePrivateDirectory("/dev/shm/usb-XXXXXX")
    } catch { return try makePrivateDirectory("/tmp/usb-XXXXXX") }
  }

  deinit { close() }

  private static var isInstalled: Bool {
    // The handle stays open, as the loader keeps it; the library does nothing without its variable.
    ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
      .contains { FileManager.default.fileExists(atPath: "\($0)/\(library)") }
  }

  /// The environment with which a program sees the bus.
  public var environment: [String: String] { ["LD_PRELOAD": Self.library, "UMOCKDEV_DIR": directory] }

  /// Plugs a device in. It gets a new number, as from a kernel.
  ///
  /// - Parameters:
  ///   - device: A device that is not plugged in; another one traps.
  ///   - drivers: For each interface that a kernel driver takes, the name of the driver, such as `pn533_usb`.
  /// - Throws: `LinkError.Code.transmissionFailed` when the files of the device cannot be written.
  public func plug(_ device: SimulatedUSBDevice, drivers: [Int: String] = [:]) throws(LinkError) {
    let number = state.update { state in
      precondition(state.plugged[ObjectIdentifier(device)] == nil, "the device is plugged in already")
      state.lastNumber += 1
      state.plugged[ObjectIdentifier(device)] = state.lastNumber
      return state.lastNumber
    }
    let tree = DeviceTree(root: directory, description: device.description, number: number, drivers: drivers)
    let node: USBNode
    do throws(LinkError) {
      // The node exists before its device is listed.
      node = try USBNode(tree, firmware: device.makeFirmware(signal))
      try tree.write()
    } catch {
      state.update { $0.plugged[ObjectIdentifier(device)] = nil }
      throw error
    }
    state.update { state in
      state.nodes.append(node)
      Self.report(.add, tree, &state, events)
    }
    signal.raise()
  }

  /// Whether a device is plugged in. A fault can unplug it.
  public func isPlugged(_ device: SimulatedUSBDevice) -> Bool {
    state.read { $0.plugged[ObjectIdentifier(device)] != nil }
  }

  /// The name under which libnfc finds the chip of a device, such as `pn53x_usb:001:002`; nil while the device is not
  /// plugged in, and for a device without a chip.
  public func connstring(of device: SimulatedUSBDevice) -> String? {
    guard let driver = device.chipDriver, let number = state.read({ $0.plugged[ObjectIdentifier(device)] }) else {
      return nil
    }
    return "\(driver):001:\(String(format: "%03d", number))"
  }

  /// Unplugs a device; without effect when it is not plugged in. Returns when its transfers have ended.
  public func unplug(_ device: SimulatedUSBDevice) {
    let number = state.update { state -> Int? in
      guard let number = state.plugged.removeValue(forKey: ObjectIdentifier(device)) else { return nil }
      state.departures.insert(number)
      return number
    }
    guard let number else { return }
    signal.raise()
    _ = state.wait { !$0.departures.contains(number) || $0.isClosed ? true : nil }
  }

  /// Ends the bus and removes its directory. A program that has a node open aborts at its next request, so end the
  /// programs first. A second call has no effect.
  public func close() {
    state.update { $0.isClosed = true }
    signal.raise()
    events.close()
    // A directory that cannot be removed does no harm.
    try? FileManager.default.removeItem(atPath: directory)
  }

  private static func report(_ action: UEvent.Action, _ tree: DeviceTree, _ state: inout State, _ events: UEventQueue) {
    let device = (tree.path, tree.properties)
    let interfaces = tree.description.interfaces.indices.map { (tree.interfacePath($0), tree.properties(of: $0)) }
    let order = action == .add ? [device] + interfaces : interfaces + [device]
    events.append(
      order.map { path, properties in
        state.eventCount += 1
        return UEvent(action: action, path: path, properties: properties, sequenceNumber: state.eventCount)
      })
  }

  /// Runs the nodes until the bus is closed.
  private static func run(_ state: WaitableState<State>, _ signal: WakeSignal, _ events: UEventQueue) {
    let clock = SystemClock()
    var ready: [Int32] = []
    while true {
      let (nodes, departures, isClosed) = state.read { ($0.nodes, $0.departures, $0.isClosed) }
      if isClosed { return }
      for node in nodes {
        node.work(ready, at: clock.now)
        guard node.isPlugged, node.hasLeft || departures.contains(node.tree.number) else { continue }
        node.unplug(at: clock.now)
        node.tree.remove()
        state.update { state in
          state.departures.remove(node.tree.number)
          state.plugged = state.plugged.filter { $0.value != node.tree.number }
          report(.remove, node.tree, &state, events)
        }
      }
      let rest = nodes.compactMap(\.deadline).min().map { max($0 - clock.now, .zero) }
      ready = signal.wait(for: nodes.flatMap(\.descriptors), timeout: rest)
      signal.clear()
    }
  }
}
