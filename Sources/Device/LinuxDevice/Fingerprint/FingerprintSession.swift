internal import Octets

#if LinuxDevice
  internal import DeviceAuthentication
  internal import Octets
  internal import POSIX

  /// A connection to fprintd for one call of a port. Its functions block; a wake-up ends each wait.
  struct FingerprintSession: ~Copyable {
    /// How long fprintd may take to close a cancelled prompt. The connection is closed then, which releases the sensor.
    static let grace = Duration.milliseconds(700)

    private let bus: SystemBus
    private let wakeUp: WakeSignal
    private let clock: any MonotonicClock
    /// The unique name of fprintd, from its first reply. Every program may send a signal to this connection, so only
    /// those of this sender count.
    private var service = ""
    /// The path of the reader. fprintd reports the results of every reader to every connection.
    private var device = ""
    private var pending: (call: Fprint.Call, number: UInt64)?

    init(address: String?, wakeUp: WakeSignal, clock: any MonotonicClock) throws(BusError) {
      bus = try SystemBus(address: address)
      self.wakeUp = wakeUp
      self.clock = clock
    }

    /// Shows one prompt.
    mutating func verify(user: String) -> FingerprintVerification.Outcome {
      var machine = FingerprintVerification(user: user)
      do throws(BusError) {
        for subscription in Fprint.subscriptions {
          guard try reply(to: subscription, until: nil) != nil else { return .success(.cancelled) }
        }
        return try run(&machine)
      } catch {
        guard case .end(let outcome) = machine.receive(.lost(error)) else { return .failure(error.deviceError) }
        return outcome
      }
    }

    private mutating func run(
      _ machine: inout FingerprintVerification
    ) throws(BusError) -> FingerprintVerification.Outcome {
      var deadline: Instant?
      var action = FingerprintVerification.Action.call(FingerprintVerification.first)
      while true {
        switch action {
        case .end(let outcome): return outcome
        case .call(let call): pending = (call, try bus.send(call.message))
        case .wait: break
        }
        action = machine.receive(try nextEvent(&deadline))
      }
    }

    /// Waits for the next event. The wake-up is the event `cancelled`, once.
    private mutating func nextEvent(_ deadline: inout Instant?) throws(BusError) -> FingerprintVerification.Event {
      while true {
        while let message = try bus.next() {
          if let event = event(of: message) { return event }
        }
        if let deadline, clock.now >= deadline { return .graceEnded }
        let isWoken = try bus.wait(orFor: deadline == nil ? wakeUp : nil, until: deadline, by: clock)
        if isWoken {
          deadline = clock.now + Self.grace
          return .cancelled
        }
      }
    }

    private mutating func event(of message: BusMessage) -> FingerprintVerification.Event? {
      switch message.kind {
      case .reply(to: pending?.number):
        service = message.sender
        let event = pending.map { Self.event(ofReplyTo: $0.call, message.values) }
        if case .device(let path) = event { device = path }
        return event
      case .error(to: pending?.number, let error): return .failed(error)
      case .signal("org.freedesktop.DBus", "NameOwnerChanged") where message.sender == "org.freedesktop.DBus":
        // Name, former owner, new owner.
        guard message.values.prefix(2) == [.text(Fprint.service), .text(service)] else { return nil }
        return .lost(BusError(name: BusError.disconnected, message: "fprintd has ended"))
      case .signal: return Self.event(ofSignal: message, from: service, device)
      case .reply, .error, .other: return nil
      }
    }

    private static func event(
      ofReplyTo call: Fprint.Call, _ values: [BusValue]
    ) -> FingerprintVerification.Event {
      switch (call, values.first) {
      case (.defaultDevice, .text(let path)): .device(path)
      case (.enrolledFingers, .texts(let fingers)): .fingers(fingers)
      case (.defaultDevice, _), (.enrolledFingers, _):
        .failed(
          BusError(
            name: "an unexpected reply", message: "\(call.message.method) returns \(values.count.counted("value"))"))
      default: .done
      }
    }

    /// Returns the event of a signal; nil when another program has sent it, or it is of another reader.
    static func event(
      ofSignal message: BusMessage, from service: String, _ device: String
    ) -> FingerprintVerification.Event? {
      guard case .signal(Fprint.deviceInterface, let member) = message.kind, message.sender == service,
        message.path == device
      else { return nil }
      return switch (member, message.values.first, message.values.dropFirst().first) {
      case ("VerifyFingerSelected", .text(let finger), _): .selected(finger)
      case ("VerifyStatus", .text(let status), .flag(let isLast)): .status(Fprint.Status(status), isLast: isLast)
      default: nil
      }
    }

    /// Reads the names of the enrolled fingers.
    ///
    /// - Throws: Also when fprintd does not answer until the instant.
    func enrolledFingers(user: String, until instant: Instant) throws(BusError) -> [String] {
      let found = try values(of: .defaultDevice, until: instant)
      guard case .text(let device)? = found.first else {
        throw BusError(name: "an unexpected reply", message: "GetDefaultDevice returns no device")
      }
      do throws(BusError) {
        guard
          case .texts(let fingers)? = try values(of: .enrolledFingers(device: device, user: user), until: instant).first
        else { throw BusError(name: "an unexpected reply", message: "ListEnrolledFingers returns no list") }
        return fingers
      } catch {
        if error.meansNothingEnrolled { return [] }
        throw error
      }
    }

    private func values(of call: Fprint.Call, until instant: Instant) throws(BusError) -> [BusValue] {
      guard let reply = try reply(to: call.message, until: instant) else {
        throw BusError(name: BusError.timeout, message: "fprintd has not answered")
      }
      return reply.values
    }

    /// Calls and waits for the reply.
    ///
    /// - Returns: nil when the session was woken or the instant has come.
    private func reply(to call: BusCall, until instant: Instant?) throws(BusError) -> BusMessage? {
      let number = try bus.send(call)
      while true {
        while let message = try bus.next() {
          switch message.kind {
          case .reply(to: number): return message
          case .error(to: number, let error): throw error
          default: continue
          }
        }
        if let instant, clock.now >= instant { return nil }
        if try bus.wait(orFor: wakeUp, until: instant, by: clock) { return nil }
      }
    }
  }
#endif
