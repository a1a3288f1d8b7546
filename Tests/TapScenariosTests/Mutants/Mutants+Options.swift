import EMVData
import EMVDecoding
import ISO7816

/// GET PROCESSING OPTIONS: its data and what the terminal makes of the response.
extension Mutant {
  static let options: [Mutant] = [
    sending("GPO data too long", 0xA8) { command, _ in
      let data = command.commandData
      return command.with(data: [0x83, data[1] + 1] + data.dropFirst(2) + [0x00])
    },
    sending("GPO data too short", 0xA8) { command, _ in
      let data = command.commandData
      return data.count > 2 ? command.with(data: [0x83, data[1] - 1] + data.dropFirst(2).dropLast()) : command
    },
    sending("GPO data without template 83", 0xA8) { command, _ in
      command.commandData.count > 2 ? command.with(data: Array(command.commandData.dropFirst(2))) : command
    },
    sending("empty PDOL without template 83", 0xA8) { command, _ in
      command.commandData == [0x83, 0x00] ? command.with(data: [0x00]) : command
    },
    Mutant(
      fault: "repeated tag of the PDOL sent once",
      command: { command, memory in
        guard command.instruction == 0xA8, let list = memory.context.pdol else { return command }
        return command.withoutRepeatedValues(of: list)
      }),
    repeating("GPO sent twice") { $0.instruction == 0xA8 },
    taking("6986 taken for 6985", 0xA8) { response, _ in
      response.status == [0x69, 0x86] ? [0x69, 0x85] : response
    },
    taking("6984 taken for an end", 0xA8) { response, _ in
      response.status == [0x69, 0x84] ? [0x6A, 0x81] : response
    },
    taking("unknown tag of the response refused", 0xA8) { response, _ in
      response.object(0xDF50) == nil ? response : [0x6A, 0x81]
    },
    taking("object given twice accepted", 0xA8) { response, _ in response.withoutRepeatedObjects },
    taking("missing transaction counter made up", 0xA8) { response, _ in
      response.status == [0x90, 0x00] && response.object(0x9F36) == nil
        ? response.changingObject(0x82) { $0 }.adding(TLVNode(0x9F36, [0x00, 0x01])) : response
    },
    taking("missing AIP made up", 0xA8) { response, _ in
      response.status == [0x90, 0x00] && response.object(0x9F36) != nil && response.object(0x82) == nil
        ? response.adding(TLVNode(0x82, [0x00, 0x40])) : response
    },
    taking("verification on the device taken for granted", 0xA8) { response, _ in
      response.changingObject(0x9F6C) { [$0[0], $0[1] | 0x80] }
    },
    taking("decline of the card in GPO ignored", 0xA8) { response, _ in
      response.changingObject(0x9F10) { data in
        // Byte 5 of tag 9F10, bits 6 and 5: the type of the cryptogram.
        data.count > 4 ? Array(data[..<4]) + [data[4] & ~0x30 | 0x20] + data[5...] : data
      }.changingObject(0x9F27) { _ in [0x80] }
    },
  ]
}

extension [UInt8] {
  /// GET PROCESSING OPTIONS with the first value of each tag in a list.
  func withoutRepeatedValues(of list: DataObjectList) -> [UInt8] {
    var (kept, values): (Set<Tag>, [UInt8]) = ([], [])
    var rest = commandData.dropFirst(2)
    for entry in list.entries {
      if kept.insert(entry.tag).inserted { values += rest.prefix(entry.count) }
      rest = rest.dropFirst(entry.count)
    }
    return values.count == commandData.count - 2 ? self : with(data: [0x83, UInt8(values.count)] + values)
  }

  /// The response with one data object more in its template.
  func adding(_ object: TLVNode) -> [UInt8] {
    let data = Array(dropLast(2))
    guard let template = (try? [TLVNode](parsing: data.span))?.first, template.tag.isConstructed else { return self }
    return TLVNode(template.tag, template.children + [object]).encoded + status
  }

  /// The response with the first of several data objects with the same tag.
  var withoutRepeatedObjects: [UInt8] {
    let data = Array(dropLast(2))
    guard let template = (try? [TLVNode](parsing: data.span))?.first, template.tag.isConstructed else { return self }
    var kept: [TLVNode] = []
    for object in template.children where !kept.contains(where: { $0.tag == object.tag }) { kept.append(object) }
    return TLVNode(template.tag, kept).encoded + status
  }
}
