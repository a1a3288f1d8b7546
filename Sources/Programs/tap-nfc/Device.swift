import NFCReader

#if LibNFC
  import CNFC
  import Glibc
  import Links
  import POSIX

  /// The device of this process. All sizes are checked before they are passed to libnfc, and its pointers stay inside.
  @safe struct Device: ~Copyable {
    private var context: OpaquePointer?
    private var device: OpaquePointer?
    private var lock: SerialPortLock?
    var role = Role.none

    enum Role { case none, initiator, target }

    /// Creates a value without an open device.
    init() {}

    /// Opens a device and switches its field off.
    init(releasing connstring: String) throws(NFCFailure) {
      _ = try open(connstring)
      _ = unsafe nfc_device_set_property_bool(try opened(), NP_ACTIVATE_FIELD, false)
    }

    deinit {
      if let device = unsafe device {
        if role != .none { unsafe switchOff(device) }
        unsafe nfc_close(device)
      }
      if let context = unsafe context { unsafe nfc_exit(context) }
    }

    mutating func serve(_ request: NFCRequest, _ queue: RequestQueue) throws(NFCFailure) -> NFCReply {
      switch request {
      case .list: return .devices(try list())
      case .open(let connstring): return .opened(name: try open(connstring))
      case .select: return try select()
      case .transceive(let milliseconds, let command): return try transceive(command, milliseconds, queue)
      case .release: return try release(queue)
      case .await(let identifier, let history): return try awaitTerminal(identifier, history, queue)
      case .receive: return try receive(queue)
      case .respond(let response): return try respond(response, queue)
      case .abort: throw NFCFailure(.misuse, "an abort request has no response")
      }
    }

    // MARK: Opening

    mutating func opened() throws(NFCFailure) -> OpaquePointer {
      guard let device = unsafe device else { throw NFCFailure(.misuse, "no device is open") }
      return unsafe device
    }

    private mutating func library() throws(NFCFailure) -> OpaquePointer {
      if let context = unsafe context { return unsafe context }
      unsafe nfc_init(&context)
      guard let context = unsafe context else { throw NFCFailure(.other, "libnfc cannot be initialised") }
      return unsafe context
    }

    private mutating func list() throws(NFCFailure) -> [String] {
      var text = [CChar](repeating: 0, count: 8192)
      // The shim writes at most as many bytes as the array has.
      let count = unsafe contactless_nfc_list(try library(), &text, text.count)
      return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        .split(separator: "\n").map(String.init)
    }

    private mutating func open(_ connstring: String) throws(NFCFailure) -> String {
      guard unsafe device == nil else { throw NFCFailure(.misuse, "a device is open already") }
      guard connstring.utf8.count < 1024 else { throw NFCFailure(.tooLong, "the connection string is too long") }
      lock = try SerialPortLock(connstring)
      // libnfc copies 1024 bytes: the array has them all.
      let octets = Array(connstring.utf8CString) + [CChar](repeating: 0, count: 1024)
      guard let opened = unsafe nfc_open(try library(), octets) else {
        lock = nil
        if let device = NamedUSBDevice(connstring) { throw device.refusal }
        throw NFCFailure(
          .noSuchDevice,
          "libnfc cannot open \(connstring): check that the device is plugged in and that this is its driver's name")
      }
      unsafe device = opened
      return unsafe nfc_device_get_name(opened).map { unsafe String(cString: $0) } ?? connstring
    }

    mutating func release(_ queue: RequestQueue) throws(NFCFailure) -> NFCReply {
      let device = unsafe try opened()
      // A card that has left cannot be deselected; the field goes off nevertheless.
      if role == .initiator { _ = unsafe nfc_initiator_deselect_target(device) }
      if role != .none { unsafe switchOff(device) }
      role = .none
      queue.forgetAbort()
      return .done
    }

    // Field off, chip in power-down. A chip that still works on an aborted command misses the first attempt. `nfc_idle`
    // gives up when the card cannot be deselected; the field goes off nevertheless.
    private borrowing func switchOff(_ device: OpaquePointer) {
      for _ in 0..<3 {
        if unsafe nfc_idle(device) >= 0 { return }
        _ = unsafe nfc_device_set_property_bool(device, NP_ACTIVATE_FIELD, false)
      }
    }

    // MARK: Errors

    // Only the return codes count: nfc_strerror returns "Success" after some failures.
    func check(_ code: Int32, _ what: String) throws(NFCFailure) {
      guard code < 0 else { return }
      switch code {
      case NFC_EIO, NFC_ENOTSUCHDEV:
        throw NFCFailure(.device, "the NFC device is unplugged or does not answer (libnfc \(code)), while \(what)")
      // The drivers for USB return the numbers of the system, too.
      case -ENODEV, -ESHUTDOWN: throw NFCFailure(.device, "the NFC device was unplugged, while \(what)")
      case -EPIPE, -EPROTO, -EILSEQ, -EOVERFLOW, -ETIMEDOUT:
        throw NFCFailure(
          .device,
          "the NFC device does not answer as it should (\(SystemError(-code))), while \(what); unplug it and plug it in again"
        )
      case NFC_ENOTIMPL, NFC_EDEVNOTSUPP:
        throw NFCFailure(
          .misuse, "libnfc cannot do that with the chip of this device, while \(what); as a card it needs a PN532")
      case NFC_ETIMEOUT: throw NFCFailure(.timedOut, "the time limit has passed, while \(what)")
      case NFC_EOPABORTED: throw NFCFailure(.aborted, "stopped while \(what)")
      case NFC_ERFTRANS, NFC_ETGRELEASED: throw NFCFailure(.radio, "the card or the terminal left, while \(what)")
      case NFC_EOVFLOW, NFC_ECHIP:
        throw NFCFailure(.tooLong, "too long for the chip, or an error of the chip (libnfc \(code)), while \(what)")
      default: throw NFCFailure(.other, "libnfc error \(code), while \(what)")
      }
    }
  }

  /// A device pointer for another thread: libnfc allows only `nfc_abort_command` there.
  @safe struct SendablePointer: @unchecked Sendable {
    private let device: OpaquePointer

    init(_ device: OpaquePointer) { unsafe self.device = device }

    func abort() { _ = unsafe nfc_abort_command(device) }
  }
#else
  /// A build without libnfc has no device.
  struct Device: ~Copyable {
    init() {}

    init(releasing connstring: String) throws(NFCFailure) {}

    mutating func serve(_ request: NFCRequest, _ queue: RequestQueue) throws(NFCFailure) -> NFCReply {
      throw NFCFailure(
        .builtWithoutLibNFC,
        """
        built without libnfc: install libnfc-dev and build with the trait LibNFC, which is on unless it is switched off
        """)
    }
  }
#endif
