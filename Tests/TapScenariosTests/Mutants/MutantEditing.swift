import EMVData
import EMVDecoding
import ISO7816
import Octets

/// Changes of commands and responses on the wire.
extension [UInt8] {
  var instruction: UInt8 { count > 1 ? self[1] : 0 }
  var status: [UInt8] { Array(suffix(2)) }

  /// The layout of a command; a mutant gets only whole commands.
  private var layout: CommandLayout? { try? CommandLayout(parsing: span) }

  /// The data of a command.
  var commandData: [UInt8] {
    layout.map { Array(self[$0.dataOffset..<$0.dataOffset + $0.dataCount]) } ?? []
  }

  /// The command with other data.
  func with(data: [UInt8]) -> [UInt8] {
    Array(prefix(4)) + [UInt8(data.count)] + data + ((layout?.expectedLength ?? 0) > 0 ? [0x00] : [])
  }

  /// The command with another Le; nil for none.
  func with(le: UInt8?) -> [UInt8] {
    let data = commandData
    return Array(prefix(4)) + (data.isEmpty ? [] : [UInt8(data.count)] + data) + (le.map { [$0] } ?? [])
  }

  /// The command with another byte of the header.
  func with(_ octet: UInt8, at index: Int) -> [UInt8] {
    var changed = self
    changed[index] = octet
    return changed
  }

  /// The command in which every entry of a tag in the card's list has another value.
  func changing(_ tag: Tag, _ context: DecodingContext, _ change: ([UInt8]) -> [UInt8]) -> [UInt8] {
    let (list, offset): (DataObjectList?, Int) =
      switch instruction {
      case 0xA8: (context.pdol, 2)
      case 0xAE: (context.cdol1, 0)
      case 0x2A: (context.udol, 0)
      default: (nil, 0)
      }
    return list.map { changing(tag, in: $0, from: offset, change) } ?? self
  }

  /// The command in which every entry of a tag in a list has another value. The values begin at an offset of the data.
  func changing(
    _ tag: Tag, in list: DataObjectList, from offset: Int = 0, _ change: ([UInt8]) -> [UInt8]
  ) -> [UInt8] {
    var data = commandData
    var start = offset
    for entry in list.entries {
      let place = start..<start + entry.count
      start = place.upperBound
      guard start <= data.count else { return self }
      if entry.tag == tag { data.replaceSubrange(place, with: change(Array(data[place]))) }
    }
    return with(data: data)
  }

  /// The response in which a data object has another value; nil removes the object.
  func changingObject(_ tag: Tag, _ change: ([UInt8]) -> [UInt8]?) -> [UInt8] {
    let data = Array(dropLast(2))
    guard let nodes = try? [TLVNode](parsing: data.span) else { return self }
    return Self.changing(tag, in: nodes, change).encoded + status
  }

  /// The response in which tag 9F6C has another value, and tag 9F69, which repeats it in its last two bytes, has the same.
  func changingQualifiers(_ change: ([UInt8]) -> [UInt8]) -> [UInt8] {
    guard let qualifiers = object(0x9F6C).map(change) else { return self }
    return changingObject(0x9F6C) { _ in qualifiers }.changingObject(0x9F69) { related in
      related.count == 7 ? related.prefix(5) + qualifiers : related
    }
  }

  private static func changing(_ tag: Tag, in nodes: [TLVNode], _ change: ([UInt8]) -> [UInt8]?) -> [TLVNode] {
    nodes.compactMap { node in
      if node.tag == tag { return change(node.value).map { TLVNode(tag, $0) } }
      return node.tag.isConstructed ? TLVNode(node.tag, changing(tag, in: node.children, change)) : node
    }
  }

  /// The first value of a data object in a response; nil without one.
  func object(_ tag: Tag) -> [UInt8]? {
    let data = Array(dropLast(2))
    return (try? [TLVNode](parsing: data.span)).flatMap { Self.value(tag, in: $0) }
  }

  private static func value(_ tag: Tag, in nodes: [TLVNode]) -> [UInt8]? {
    for node in nodes {
      if node.tag == tag { return node.value }
      if node.tag.isConstructed, let value = value(tag, in: node.children) { return value }
    }
    return nil
  }

  /// Whether the command selects the directory.
  var selectsDirectory: Bool { instruction == 0xA4 && commandData == Array("2PAY.SYS.DDF01".utf8) }
  /// Whether the command selects an application.
  var selectsApplication: Bool { instruction == 0xA4 && !selectsDirectory }
}
