#if LinuxDevice
  internal import CSDBus
  internal import Glibc
  internal import Octets
  internal import POSIX

  /// A connection to the system bus, for one thread. It is closed when the value goes out of scope; services then
  /// release what they held for it.
  @safe
  struct SystemBus: ~Copyable {
    private let bus: OpaquePointer

    /// Connects to a bus.
    ///
    /// - Parameter address: The address of the bus; nil for the system bus, or the one that
    ///   `DBUS_SYSTEM_BUS_ADDRESS` names.
    init(address: String?) throws(BusError) {
      var opened: OpaquePointer?
      let code = unsafe Self.open(&opened, address)
      guard code >= 0, let bus = unsafe opened else {
        unsafe sd_bus_close_unref(opened)
        throw BusError(name: BusError.disconnected, message: "no connection to the bus: \(SystemError(-code))")
      }
      unsafe self.bus = bus
    }

    // Without a flush, which would wait for a bus that does not answer.
    deinit { unsafe sd_bus_close_unref(bus) }

    private static func open(_ bus: inout OpaquePointer?, _ address: String?) -> Int32 {
      guard let address else { return unsafe sd_bus_open_system(&bus) }
      var code = unsafe sd_bus_new(&bus)
      if code >= 0 { code = unsafe sd_bus_set_address(bus, address) }
      if code >= 0 { code = unsafe sd_bus_set_bus_client(bus, 1) }
      return code < 0 ? code : unsafe sd_bus_start(bus)
    }

    /// Sends a call. Does not wait for its reply.
    ///
    /// - Returns: The number that the reply names.
    func send(_ call: BusCall) throws(BusError) -> UInt64 {
      var message: OpaquePointer?
      try check(
        unsafe sd_bus_message_new_method_call(bus, &message, call.service, call.path, call.interface, call.method))
      defer { unsafe sd_bus_message_unref(message) }
      if let argument = call.argument {
        try check(unsafe argument.withCString { unsafe sd_bus_message_append_basic(message, Self.string, $0) })
      }
      var number: UInt64 = 0
      try check(unsafe sd_bus_send(bus, message, &number))
      return number
    }

    /// Returns the next message that has arrived, or nil. Does not wait.
    func next() throws(BusError) -> BusMessage? {
      while true {
        var received: OpaquePointer?
        let code = unsafe sd_bus_process(bus, &received)
        try check(code)
        if let message = unsafe received {
          defer { unsafe sd_bus_message_unref(message) }
          return unsafe BusMessage(message)
        }
        if code == 0 { return nil }
      }
    }

    /// Waits until the bus has work, a signal is raised, or an instant has come.
    ///
    /// - Returns: Whether the signal is raised.
    func wait(orFor signal: WakeSignal?, until instant: Instant?, by clock: any MonotonicClock) throws(BusError) -> Bool
    {
      var due: UInt64 = 0
      try check(unsafe sd_bus_get_timeout(bus, &due))
      // The bus has a time limit only while it connects. It is looked at again every second then.
      var limits = due == .max ? [] : [due == 0 ? Duration.zero : .seconds(1)]
      if let instant { limits.append(max(.zero, instant - clock.now)) }
      let (number, events) = unsafe (sd_bus_get_fd(bus), sd_bus_get_events(bus))
      try check(number)
      try check(events)
      let end = limits.min().map { SystemClock().now + $0 }
      return WakeSignal.wait(for: number, events, or: signal, until: end) == .raised
    }

    private static let string = CChar(UInt8(ascii: "s"))

    private func check(_ code: Int32) throws(BusError) {
      guard code < 0 else { return }
      throw BusError(name: BusError.disconnected, message: "the connection to the bus broke: \(SystemError(-code))")
    }
  }
#endif
