import NFCReader

#if LibNFC
  import CNFC
  import Glibc
  import Links

  /// The device of this process. All sizes are checked before they are passed to libnfc, and its pointers stay inside.
  @safe struct Device: ~Copyable {
    private var context: OpaquePointer?
    private var device: OpaquePointer?
    private var lock: SerialPortLock?
    private var role = Role.none

    private enum Role { case none, initiator, target }

    /// Creates a process without an open device.
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
      case .abort: throw NFCFailure(.misuse, "an abort request has no answer")
      }
    }

    // MARK: Opening

    private mutating func opened() throws(NFCFailure) -> OpaquePointer {
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
      // The shim writes at most as many octets as the array has.
      let count = unsafe contactless_nfc_list(try library(), &text, text.count)
      return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        .split(separator: "\n").map(String.init)
    }

    private mutating func open(_ connstring: String) throws(NFCFailure) -> String {
      guard unsafe device == nil else { throw NFCFailure(.misuse, "a device is open already") }
      guard connstring.utf8.count < 1024 else { throw NFCFailure(.tooLong, "the connection string is too long") }
      lock = try SerialPortLock(connstring)
      // libnfc copies 1024 octets: the array has them all.
      let octets = Array(connstring.utf8CString) + [CChar](repeating: 0, count: 1024)
      guard let opened = unsafe nfc_open(try library(), octets) else {
        lock = nil
        throw NFCFailure(
          .noSuchDevice,
          "libnfc cannot open \(connstring): check that the device is plugged in and that this is its driver's name")
      }
      unsafe device = opened
      return unsafe nfc_device_get_name(opened).map { unsafe String(cString: $0) } ?? connstring
    }

    // MARK: Terminal

    // The answer to a command that timed out may still arrive, and libnfc takes it for the answer to the next command:
    // that command fails, libnfc discards the octets, and the following command succeeds.
    private mutating func becomeTerminal(_ device: OpaquePointer) throws(NFCFailure) {
      var code = unsafe nfc_initiator_init(device)
      for _ in 0..<5 where code == NFC_EIO {
        pause(for: .milliseconds(200))
        code = unsafe nfc_initiator_init(device)
      }
      try check(code, "configuring the chip as a terminal")
      // Otherwise the chip would search without end, and neither a timeout nor an abort would end it.
      try check(
        unsafe nfc_device_set_property_bool(device, NP_INFINITE_SELECT, false), "switching endless selection off")
      role = .initiator
    }

    private mutating func select() throws(NFCFailure) -> NFCReply {
      let device = unsafe try opened()
      if role != .initiator { try unsafe becomeTerminal(device) }
      var target = nfc_target()
      let modulation = nfc_modulation(nmt: NMT_ISO14443A, nbr: NBR_106)
      // libnfc fills one target.
      let count = unsafe nfc_initiator_select_passive_target(device, modulation, nil, 0, &target)
      if count == NFC_ETIMEOUT || count == 0 { return .noCard }
      if count == NFC_EIO {
        // A late answer, or an unplugged device: then this call fails as well.
        try unsafe becomeTerminal(device)
        return .noCard
      }
      try check(count, "looking for a card")
      guard unsafe contactless_nfc_sak(&target) & 0x20 != 0 else { return .noCard }
      var answer = [UInt8](repeating: 0, count: 254)
      var identifier = [UInt8](repeating: 0, count: 10)
      // The shim writes at most 254 and 10 octets.
      let answerCount = unsafe contactless_nfc_ats(&target, &answer)
      let identifierCount = unsafe contactless_nfc_uid(&target, &identifier)
      return .card(
        identifier: Array(identifier[..<identifierCount]), answerToSelect: Array(answer[..<answerCount]))
    }

    private mutating func transceive(
      _ command: [UInt8], _ milliseconds: UInt32, _ queue: RequestQueue
    ) throws(NFCFailure) -> NFCReply {
      guard role == .initiator else { throw NFCFailure(.misuse, "no card was selected") }
      // libnfc copies the command without a check: a longer one would end the process.
      guard (1...NFCDevice.maximumCommandCount).contains(command.count) else {
        throw NFCFailure(
          .tooLong, "a command of \(command.count) octets: the limit is \(NFCDevice.maximumCommandCount)")
      }
      var room = [UInt8](repeating: 0, count: 264)
      // 0 would be no limit, and libnfc reads an uninitialised time for values below -1.
      let limit = Int32(clamping: max(milliseconds, 1))
      let device = unsafe try opened()
      let pointer = unsafe SendablePointer(device)
      let count = queue.abortable({ pointer.abort() }, onlyOnClose: true) {
        unsafe nfc_initiator_transceive_bytes(device, command, command.count, &room, room.count, limit)
      }
      try check(count, "sending a command to the card")
      return .octets(Array(room[..<Int(count)]))
    }

    private mutating func release(_ queue: RequestQueue) throws(NFCFailure) -> NFCReply {
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

    // MARK: Card

    // The answer to an aborted command may still arrive, and libnfc takes it for the answer to the next command. So the
    // call is repeated, as for a terminal.
    private mutating func awaitTerminal(
      _ identifier: [UInt8], _ history: [UInt8], _ queue: RequestQueue
    ) throws(NFCFailure) -> NFCReply {
      guard identifier.count == 4, identifier[0] == 0x08, history.count <= 15 else {
        throw NFCFailure(
          .misuse, "a PN532 presents a UID of 4 octets that begins with 08, and at most 15 historical bytes")
      }
      let device = unsafe try opened()
      role = .target
      var target = nfc_target()
      unsafe contactless_nfc_type_a(&target, identifier, history, history.count)
      var room = [UInt8](repeating: 0, count: 264)
      let pointer = unsafe SendablePointer(device)
      let count = queue.abortable({ pointer.abort() }) {
        // No time limit: the chip loses commands between two calls.
        var code = unsafe nfc_target_init(device, &target, &room, room.count, 0)
        for _ in 0..<5 where code == NFC_EIO {
          pause(for: .milliseconds(20))
          code = unsafe nfc_target_init(device, &target, &room, room.count, 0)
        }
        return code
      }
      try check(count, "waiting for a terminal")
      return .done
    }

    private mutating func receive(_ queue: RequestQueue) throws(NFCFailure) -> NFCReply {
      guard role == .target else { throw NFCFailure(.misuse, "no terminal has selected this card") }
      let device = unsafe try opened()
      var room = [UInt8](repeating: 0, count: 264)
      let pointer = unsafe SendablePointer(device)
      let count = queue.abortable({ pointer.abort() }) {
        unsafe nfc_target_receive_bytes(device, &room, room.count, 0)
      }
      if count == NFC_ETGRELEASED { return .released(isDeselected: unsafe contactless_nfc_is_deselected(device)) }
      try check(count, "waiting for a command")
      return .octets(Array(room[..<Int(count)]))
    }

    private mutating func respond(
      _ response: [UInt8], _ queue: RequestQueue
    ) throws(NFCFailure) -> NFCReply {
      guard role == .target else { throw NFCFailure(.misuse, "no terminal has selected this card") }
      guard (1...NFCDevice.maximumResponseCount).contains(response.count) else {
        throw NFCFailure(
          .tooLong, "a response of \(response.count) octets: the limit is \(NFCDevice.maximumResponseCount)")
      }
      let device = unsafe try opened()
      let pointer = unsafe SendablePointer(device)
      let count = queue.abortable({ pointer.abort() }) {
        unsafe nfc_target_send_bytes(device, response, response.count, 0)
      }
      if count == NFC_ETGRELEASED { return .released(isDeselected: unsafe contactless_nfc_is_deselected(device)) }
      try check(count, "answering the terminal")
      return .done
    }

    // MARK: Errors

    // Only the return codes count: nfc_strerror returns "Success" after some failures.
    private func check(_ code: Int32, _ what: String) throws(NFCFailure) {
      guard code < 0 else { return }
      switch code {
      case NFC_EIO, NFC_ENOTSUCHDEV:
        throw NFCFailure(.device, "the NFC device is unplugged or does not answer (libnfc \(code)), while \(what)")
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
  @safe private struct SendablePointer: @unchecked Sendable {
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
