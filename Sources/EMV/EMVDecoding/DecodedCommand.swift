internal import EMVData
internal import ISO7816
internal import Octets

/// Decodes a command APDU.
struct DecodedCommand {
  let octets: [UInt8]
  let context: DecodingContext
  let style: DecodedStyle
  private let objects: DecodedObjects

  init(octets: [UInt8], context: DecodingContext, style: DecodedStyle) {
    (self.octets, self.context, self.style) = (octets, context, style)
    objects = DecodedObjects(octets: octets, style: style)
  }

  /// The whole command: its name, its header fields, its data in parts.
  var node: DecodedNode {
    let whole = 0..<octets.count
    guard octets.count >= 4 else {
      let reason = "\(APDUError(.tooShort(minimum: 4), count: octets.count))"
      return DecodedNode(
        .group, "command", range: whole, children: [DecodedNode(.fault, "malformed", reason, range: whole)])
    }
    let words = CommandHeaderText(cla: octets[0], ins: octets[1], p1: octets[2], p2: octets[3])
    return DecodedNode(
      .group, words.name ?? "unknown instruction", "\(octets[..<4].hex)", range: whole,
      children: (style.wording == .none ? [] : header(words)) + rest(words))
  }

  private func header(_ words: CommandHeaderText) -> [DecodedNode] {
    let (p1, p2) = words.parameters
    let texts = [words.classText, words.name ?? "unknown", p1, p2]
    return zip(["CLA", "INS", "P1", "P2"], texts).enumerated().map { index, field in
      let text = octets[index].hex + (field.1.isEmpty ? "" : " \(field.1)")
      return DecodedNode(.field, field.0, text, range: index..<index + 1)
    }
  }

  private func rest(_ words: CommandHeaderText) -> [DecodedNode] {
    do throws(APDUError) {
      let layout = try CommandLayout(parsing: octets.span)
      let data = layout.dataOffset..<layout.dataOffset + layout.dataCount
      var nodes: [DecodedNode] = []
      if !data.isEmpty {
        nodes.append(DecodedNode(.field, "Lc", data.count.bytes, range: 4..<data.lowerBound))
        nodes.append(self.data(words, data))
      }
      if layout.expectedLength > 0 {
        let limit = "up to \(layout.expectedLength.bytes)"
        nodes.append(
          DecodedNode(.field, "Le", limit, range: data.isEmpty ? 4..<octets.count : data.upperBound..<octets.count))
      }
      return nodes
    } catch {
      let hidden = words.carriesSecret ? [DecodedNode(.secret, "data", "(never shown)", range: 4..<octets.count)] : []
      let octets = words.carriesSecret ? [] : [objects.unexplained("data", 4..<octets.count)]
      return hidden + octets + [
        DecodedNode(.fault, "malformed", "\(error)", range: self.octets.count..<self.octets.count)
      ]
    }
  }

  private func data(_ words: CommandHeaderText, _ range: Range<Int>) -> DecodedNode {
    if words.carriesSecret { return DecodedNode(.secret, "data", "(\(range.count.bytes), never shown)", range: range) }
    switch words.ins {
    case Instruction.select where words.p1 == 0x04: return objects.leaf(.dfName, range, range)
    case Instruction.getProcessingOptions where words.cla & 0x80 != 0: return processingOptions(range)
    case Instruction.generateAC where words.cla & 0x80 != 0:
      return list("GENERATE AC data", context.cryptogramList(for: range.count), "CDOL", range)
    case 0x88: return list("INTERNAL AUTHENTICATE data", context.ddol, "DDOL", range)
    case 0x2A where words.cla & 0x80 != 0: return list("CCC data", context.udol, "UDOL", range)
    case 0xEA where words.cla & 0x80 != 0: return objects.leaf(.unpredictableNumber, range, range)
    case 0x82 where (8...16).contains(range.count): return objects.leaf(0x91, range, range)
    case 0xDA where words.cla & 0x80 != 0: return objects.leaf(words.dataObjectTag, range, range)
    default: return plain(range)
    }
  }

  /// GET PROCESSING OPTIONS: template 83 with the values that the PDOL names (EMV 4.4 Book 3, 6.5.8).
  private func processingOptions(_ range: Range<Int>) -> DecodedNode {
    let template = objects.objects(in: range)
    guard let node = template.first, node.tag == .commandTemplate, template.count == 1, node.range == range,
      node.fault == nil
    else { return DecodedNode(.group, "GPO data", range: range, children: template) }
    return list("GPO data", context.pdol, "PDOL", range, values: node.content)
  }

  private func list(
    _ label: String, _ list: DataObjectList?, _ name: String, _ range: Range<Int>, values: Range<Int>? = nil
  ) -> DecodedNode {
    let values = values ?? range
    guard let list else {
      let text = values.isEmpty ? "no values" : "the \(name) was not seen: \(objects.text(values))"
      return DecodedNode(values.isEmpty ? .group : .octets, label, text, range: range, content: values)
    }
    return DecodedNode(
      .group, label, range: range, content: values, children: objects.values(of: list, in: values))
  }

  /// The data of other commands: data objects when they are well-formed and known, else bytes of unknown meaning.
  private func plain(_ range: Range<Int>) -> DecodedNode {
    let nodes = objects.objects(in: range)
    guard let first = nodes.first?.tag, DataElement.named(first) != nil, !nodes.contains(where: { $0.fault != nil })
    else { return objects.unexplained("data", range) }
    return DecodedNode(.group, "data", range: range, children: nodes)
  }
}
