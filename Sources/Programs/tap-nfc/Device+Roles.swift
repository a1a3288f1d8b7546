import NFCReader

#if LibNFC
  import CNFC
  import Glibc
  import Links

  // MARK: Terminal

  extension Device {
    // The response to a command that timed out may still arrive, and libnfc takes it for the response to the next command:
    // that command fails, libnfc discards the bytes, and the following command succeeds.
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

    /// Searches once for cards of both types, and selects the only one. Type B comes first: most cards are of type A, and
    /// the second search leaves these selected.
    mutating func select() throws(NFCFailure) -> NFCReply {
      let device = unsafe try opened()
      if role != .initiator { try unsafe becomeTerminal(device) }
      guard unsafe try find(NMT_ISO14443B, device) != nil else {
        return unsafe try find(NMT_ISO14443A, device).flatMap(Self.typeA) ?? .noCard
      }
      _ = unsafe nfc_initiator_deselect_target(device)
      let isAlone = unsafe try find(NMT_ISO14443A, device) == nil
      // The deselected card does not answer a search before it had no field for 5.1 ms (EMV Contactless, Book D, 9.2).
      _ = unsafe nfc_device_set_property_bool(device, NP_ACTIVATE_FIELD, false)
      pause(for: .milliseconds(6))
      try check(
        unsafe nfc_device_set_property_bool(device, NP_ACTIVATE_FIELD, true), "switching the field on")
      guard isAlone else { return .severalCards }
      return unsafe try find(NMT_ISO14443B, device).map(Self.typeB) ?? .noCard
    }

    /// Searches once for a card of one type, and selects it; nil without one, and at a chip that does not find this type.
    private mutating func find(
      _ type: nfc_modulation_type, _ device: OpaquePointer
    ) throws(NFCFailure) -> nfc_target? {
      var target = nfc_target()
      let modulation = nfc_modulation(nmt: type, nbr: NBR_106)
      // libnfc fills one target.
      let count = unsafe nfc_initiator_select_passive_target(device, modulation, nil, 0, &target)
      switch count {
      case 0, NFC_ETIMEOUT: return nil
      // What libnfc says of a modulation that the chip does not have.
      case NFC_EINVARG where type != NMT_ISO14443A, NFC_EDEVNOTSUPP where type != NMT_ISO14443A: return nil
      case NFC_EIO:
        // A late response, or an unplugged device: then this call fails as well.
        try unsafe becomeTerminal(device)
        return nil
      default:
        try check(count, "looking for a card")
        return target
      }
    }

    /// Nil for a card of type A without ISO-DEP.
    private static func typeA(_ target: nfc_target) -> NFCReply? {
      var target = target
      guard unsafe contactless_nfc_sak(&target) & 0x20 != 0 else { return nil }
      var answer = [UInt8](repeating: 0, count: 254)
      var identifier = [UInt8](repeating: 0, count: 10)
      // The shim writes at most 254 and 10 bytes.
      let answerCount = unsafe contactless_nfc_ats(&target, &answer)
      let identifierCount = unsafe contactless_nfc_uid(&target, &identifier)
      return .card(
        identifier: Array(identifier[..<identifierCount]), answerToSelect: Array(answer[..<answerCount]))
    }

    private static func typeB(_ target: nfc_target) -> NFCReply {
      var target = target
      var identifier = [UInt8](repeating: 0, count: 4)
      var history = [UInt8](repeating: 0, count: 8)
      // The shim writes 4 and 8 bytes.
      unsafe contactless_nfc_type_b(&target, &identifier, &history)
      return .cardOfTypeB(identifier: identifier, historicalBytes: history)
    }

    mutating func transceive(
      _ command: [UInt8], _ milliseconds: UInt32, _ queue: RequestQueue
    ) throws(NFCFailure) -> NFCReply {
      guard role == .initiator else { throw NFCFailure(.misuse, "no card was selected") }
      // libnfc copies the command without a check: a longer one would end the process.
      guard (1...NFCDevice.maximumCommandCount).contains(command.count) else {
        throw NFCFailure(
          .tooLong, "a command of \(command.count) bytes: the limit is \(NFCDevice.maximumCommandCount)")
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
  }

  // MARK: Card

  extension Device {
    // The response to an aborted command may still arrive, and libnfc takes it for the response to the next command. So the
    // call is repeated, as for a terminal.
    mutating func awaitTerminal(
      _ identifier: [UInt8], _ history: [UInt8], _ queue: RequestQueue
    ) throws(NFCFailure) -> NFCReply {
      guard identifier.count == 4, identifier[0] == 0x08, history.count <= 15 else {
        throw NFCFailure(
          .misuse, "a PN532 presents a UID of 4 bytes that begins with 08, and at most 15 historical bytes")
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

    mutating func receive(_ queue: RequestQueue) throws(NFCFailure) -> NFCReply {
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

    mutating func respond(
      _ response: [UInt8], _ queue: RequestQueue
    ) throws(NFCFailure) -> NFCReply {
      guard role == .target else { throw NFCFailure(.misuse, "no terminal has selected this card") }
      guard (1...NFCDevice.maximumResponseCount).contains(response.count) else {
        throw NFCFailure(
          .tooLong, "a response of \(response.count) bytes: the limit is \(NFCDevice.maximumResponseCount)")
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
  }
#endif
