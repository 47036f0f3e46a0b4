#include "trainer/engine/checkpoint/unpickler.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <unordered_map>

#include <torch/torch.h>

#include "trainer/engine/checkpoint/refused.h"

namespace ringside::engine {
namespace {

// Limits against malicious files. A checkpoint of a thousand tensors nests 7 levels deep and has
// some 25,000 values.
constexpr std::size_t kMostValues = std::size_t{1} << 22;
constexpr unsigned kMostDepth = 100;
constexpr std::size_t kMostPickleDimensions = 64;
// Tensors may share data, as tied weights do, but copied out, all of them together may take at most
// this many times the size of the file.
constexpr std::uint64_t kMostShared = 16;

const std::map<std::string, at::ScalarType, std::less<>> kStorageTypes = {
    {"torch FloatStorage", at::kFloat}, {"torch DoubleStorage", at::kDouble},
    {"torch HalfStorage", at::kHalf},   {"torch BFloat16Storage", at::kBFloat16},
    {"torch LongStorage", at::kLong},   {"torch IntStorage", at::kInt},
    {"torch ShortStorage", at::kShort}, {"torch CharStorage", at::kChar},
    {"torch ByteStorage", at::kByte},   {"torch BoolStorage", at::kBool}};

template <class T>
PickleValue value_of(T&& value) {
  PickleValue made;
  made.value = std::forward<T>(value);
  return made;
}

/// What is known about a list or dict while the pickle is read.
struct Nesting {
  unsigned depth = 1;   ///< nesting levels, including this one
  bool inside = false;  ///< it was put into another container
};

// The stack machine of Python's pickle (Lib/pickletools.py), reduced to what plain data needs.
class Unpickler {
 public:
  Unpickler(std::span<const char>& code, const StorageData& data, std::uint64_t file_bytes)
      : code_(code), data_(data), bytes_left_(kMostShared * file_bytes) {}

  PickleValue run() {
    while (true) {
      const auto op = static_cast<unsigned char>(take(1).front());
      if (op == '.') return pop();
      if (!simple(op) && !scalar(op) && !container(op) && !object(op)) {
        throw Refused{"its pickle uses opcode " + std::to_string(op) +
                      ", which plain weights do not need"};
      }
    }
  }

 private:
  std::span<const char> take(std::size_t count) {
    if (count > code_.size()) throw Refused{"its pickle ends too early"};
    const auto taken = code_.first(count);
    code_ = code_.subspan(count);
    return taken;
  }

  template <class T>
  T number() {
    T value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string text(std::size_t count) {
    const auto bytes = take(count);
    return {bytes.data(), bytes.size()};
  }

  std::string line() {
    const auto end = std::find(code_.begin(), code_.end(), '\n');
    if (end == code_.end()) throw Refused{"its pickle ends too early"};
    std::string found(code_.begin(), end);
    take(found.size() + 1);
    return found;
  }

  void push(PickleValue value) {
    if (++values_ > kMostValues) throw Refused{"its pickle holds more values than any checkpoint"};
    stack_.push_back(std::move(value));
  }

  PickleValue pop() {
    if (stack_.size() <= floor()) throw Refused{"its pickle takes more than there is"};
    PickleValue value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }

  PickleValue& top() {
    if (stack_.size() <= floor()) throw Refused{"its pickle takes more than there is"};
    return stack_.back();
  }

  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  PickleList pop_to_mark() {
    if (marks_.empty()) throw Refused{"its pickle closes what was not opened"};
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    PickleList items(std::make_move_iterator(begin), std::make_move_iterator(stack_.end()));
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }

  PickleList pop_items(std::size_t count) {
    PickleList items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }

  void remember(std::size_t at) {
    if (at >= kMostValues) throw Refused{"its pickle remembers too much"};
    if (at >= memo_.size()) memo_.resize(at + 1);
    memo_[at] = top();
  }

  void recall(std::size_t at) {
    if (at >= memo_.size()) throw Refused{"its pickle refers to what was not remembered"};
    push(memo_[at]);
  }

  // Opcodes that only manage the stack and the memo.
  bool simple(unsigned char op) {
    switch (op) {
      case 0x80:
        take(1);
        return true;  // PROTO
      case 0x95:
        take(8);
        return true;  // FRAME
      case '(':
        marks_.push_back(stack_.size());
        return true;  // MARK
      case 'q':
        remember(number<std::uint8_t>());
        return true;  // BINPUT
      case 'r':
        remember(number<std::uint32_t>());
        return true;  // LONG_BINPUT
      case 0x94:
        memo_.push_back(top());
        return true;  // MEMOIZE
      case 'h':
        recall(number<std::uint8_t>());
        return true;  // BINGET
      case 'j':
        recall(number<std::uint32_t>());
        return true;  // LONG_BINGET
      default:
        return false;
    }
  }

  bool scalar(unsigned char op) {
    switch (op) {
      case 'N':
        push({});
        return true;  // NONE
      case 0x88:
        push(value_of(true));
        return true;  // NEWTRUE
      case 0x89:
        push(value_of(false));
        return true;  // NEWFALSE
      case 'J':
        push(value_of(std::int64_t{number<std::int32_t>()}));
        return true;  // BININT
      case 'K':
        push(value_of(std::int64_t{number<std::uint8_t>()}));
        return true;  // BININT1
      case 'M':
        push(value_of(std::int64_t{number<std::uint16_t>()}));
        return true;  // BININT2
      case 0x8a:
        push(value_of(long_integer(number<std::uint8_t>())));
        return true;  // LONG1
      case 'G':
        push(value_of(big_endian_double()));
        return true;  // BINFLOAT
      case 'X':
        push(value_of(text(number<std::uint32_t>())));
        return true;  // BINUNICODE
      case 0x8c:
      case 'U':
        push(value_of(text(number<std::uint8_t>())));
        return true;  // SHORT_BINUNICODE, and Python 2's SHORT_BINSTRING
      case 'T': {     // BINSTRING, of Python 2
        const auto bytes = number<std::int32_t>();
        if (bytes < 0) throw Refused{"its pickle holds a text of no length"};
        push(value_of(text(static_cast<std::size_t>(bytes))));
        return true;
      }
      default:
        return false;
    }
  }

  std::int64_t long_integer(std::size_t bytes) {
    if (bytes > 8) throw Refused{"it holds a number of more than 64 bits"};
    const auto raw = take(bytes);
    std::uint64_t value = !raw.empty() && (static_cast<unsigned char>(raw.back()) & 0x80U) != 0
                              ? ~std::uint64_t{0}
                              : 0;
    std::memcpy(&value, raw.data(), raw.size());
    return static_cast<std::int64_t>(value);
  }

  double big_endian_double() {
    std::uint64_t bits = 0;
    for (const char byte : take(8)) bits = (bits << 8U) | static_cast<unsigned char>(byte);
    return std::bit_cast<double>(bits);
  }

  bool container(unsigned char op) {
    switch (op) {
      case '}':
        push_dict();
        return true;  // EMPTY_DICT
      case ']':       // EMPTY_LIST
      case ')':
        push_list({});
        return true;  // EMPTY_TUPLE
      case 't':
        push_list(pop_to_mark());
        return true;  // TUPLE
      case 0x85:
        push_list(pop_items(1));
        return true;  // TUPLE1
      case 0x86:
        push_list(pop_items(2));
        return true;  // TUPLE2
      case 0x87:
        push_list(pop_items(3));
        return true;  // TUPLE3
      case 'a':
        append(pop_items(1));
        return true;  // APPEND
      case 'e':
        append(pop_to_mark());
        return true;  // APPENDS
      case 's':
        set_items(pop_items(2));
        return true;  // SETITEM
      case 'u':
        set_items(pop_to_mark());
        return true;  // SETITEMS
      default:
        return false;
    }
  }

  void push_list(PickleList items) {
    const unsigned depth = put_inside(items);
    auto list = std::make_shared<PickleList>(std::move(items));
    nestings_[list.get()] = {depth};
    push(value_of(std::move(list)));
  }

  void push_dict() {
    auto dict = std::make_shared<PickleDict>();
    nestings_[dict.get()] = {};
    push(value_of(std::move(dict)));
  }

  Nesting* nesting_of(const PickleValue& value) {
    const void* container = value.list();
    if (container == nullptr) container = value.dict();
    return container == nullptr ? nullptr : &nestings_[container];
  }

  // Nesting depth of a container of `items`. The items may not change from now on, so that the
  // depth cannot grow later and no cycle can form.
  unsigned put_inside(const PickleList& items) {
    unsigned depth = 1;
    for (const PickleValue& item : items) {
      Nesting* nesting = nesting_of(item);
      if (nesting == nullptr) continue;
      nesting->inside = true;
      depth = std::max(depth, nesting->depth + 1);
    }
    if (depth > kMostDepth) throw Refused{"its pickle is nested too deep"};
    return depth;
  }

  void grow(const PickleValue& container, const PickleList& items) {
    const unsigned depth = put_inside(items);
    Nesting& nesting = *nesting_of(container);
    if (nesting.inside) throw Refused{"its pickle changes what it put into another already"};
    nesting.depth = std::max(nesting.depth, depth);
  }

  void append(PickleList items) {
    const auto* list = top().get<std::shared_ptr<PickleList>>();
    if (list == nullptr) throw Refused{"its pickle appends to what is not a list"};
    grow(top(), items);
    for (auto& item : items) (*list)->push_back(std::move(item));
  }

  void set_items(PickleList items) {
    const auto* dict = top().get<std::shared_ptr<PickleDict>>();
    if (dict == nullptr || items.size() % 2 != 0)
      throw Refused{"its pickle sets items of what is not a dict"};
    grow(top(), items);
    for (std::size_t i = 0; i < items.size(); i += 2) {
      (*dict)->emplace_back(std::move(items[i]), std::move(items[i + 1]));
    }
  }

  bool object(unsigned char op) {
    switch (op) {
      case 'c': {  // GLOBAL
        const std::string module = line();
        push(value_of(PickleGlobal{module + " " + line()}));
        return true;
      }
      case 0x93: {  // STACK_GLOBAL
        const PickleList names = pop_items(2);
        const auto* module = names[0].get<std::string>();
        const auto* name = names[1].get<std::string>();
        if (module == nullptr || name == nullptr)
          throw Refused{"its pickle names a global without a name"};
        push(value_of(PickleGlobal{*module + " " + *name}));
        return true;
      }
      case 'Q':
        push(value_of(storage_of(pop())));
        return true;  // BINPERSID
      case 'R': {     // REDUCE
        const PickleList call = pop_items(2);
        call_function(call[0], call[1]);
        return true;
      }
      case 0x81: {  // NEWOBJ
        const auto call = pop_items(2);
        const auto* type = call[0].get<PickleGlobal>();
        throw object_refused(type == nullptr ? PickleGlobal{"of no known type"} : *type);
      }
      case 'b':
        pop();
        return true;  // BUILD: attributes of an OrderedDict (_metadata), which are not used
      default:
        return false;
    }
  }

  void call_function(const PickleValue& function, const PickleValue& arguments) {
    const auto* global = function.get<PickleGlobal>();
    const PickleList* args = arguments.list();
    if (global == nullptr || args == nullptr)
      throw Refused{"its pickle calls what is not a function"};
    const std::string& name = global->name;
    if (name == "collections OrderedDict") {
      push_dict();
      // Python 2 passes the items at once, as a list of pairs.
      if (args->size() == 1 && args->front().list() != nullptr) set_pairs(*args->front().list());
      return;
    }
    if (name == "torch._utils _rebuild_tensor_v2" || name == "torch._utils _rebuild_tensor")
      return push(value_of(rebuilt_tensor(*args)));
    const bool parameter =
        (name == "torch._utils _rebuild_parameter" || name == "torch.nn.parameter Parameter") &&
        !args->empty() && args->front().tensor() != nullptr;
    // Plain objects in the state of schedules and samplers: a dict of counts, sizes, the name of a
    // device.
    const bool plain = args->size() == 1 && (name == "collections Counter" ||
                                             name == "torch Size" || name == "torch device");
    if (!parameter && !plain) throw object_refused(*global);
    push(args->front());
  }

  void set_pairs(const PickleList& pairs) {
    PickleList items;
    for (const PickleValue& pair : pairs) {
      const PickleList* two = pair.list();
      if (two == nullptr || two->size() != 2) throw Refused{"its pickle makes a dict of no pairs"};
      items.insert(items.end(), two->begin(), two->end());
    }
    set_items(std::move(items));
  }

  static Refused object_refused(const PickleGlobal& type) {
    return {"it holds an object of Python (" + type.name +
            "), not plain weights; where you trust it, keep its weights alone: " + kKeepWeights};
  }

  // ("storage", type, key, location, number of elements); before PyTorch 1.6 followed by nothing,
  // or by (key, offset, number of elements) for a part of the storage
  PickleStorage storage_of(const PickleValue& id) {
    const PickleList* parts = id.list();
    if (parts == nullptr || parts->size() < 5)
      throw Refused{"its pickle names a storage that cannot be read"};
    const auto* kind = (*parts)[0].get<std::string>();
    const auto* global = (*parts)[1].get<PickleGlobal>();
    const auto* key = (*parts)[2].get<std::string>();
    const auto* count = (*parts)[4].get<std::int64_t>();
    if (kind != nullptr && *kind == "module" && global != nullptr) throw object_refused(*global);
    if (global == nullptr || key == nullptr || count == nullptr || *count < 0) {
      throw Refused{"its pickle names a storage that cannot be read"};
    }
    if (parts->size() > 5 && (*parts)[5].list() != nullptr)
      throw Refused{"it holds parts of storages, as torch has not written them since 0.4; " +
                    std::string(kConvert)};
    if (const auto known = storages_.find(*key); known != storages_.end()) return known->second;
    const auto type = kStorageTypes.find(global->name);
    if (type == kStorageTypes.end()) throw Refused{"it holds elements of type " + global->name};
    if (*count > std::int64_t{1} << 40)
      throw Refused{"the data of storage " + *key + " are missing"};
    PickleStorage storage{type->second, data_(*key, type->second, *count)};
    return storages_.emplace(*key, std::move(storage)).first->second;
  }

  static std::vector<std::int64_t> integers(const PickleValue& value) {
    const PickleList* list = value.list();
    if (list == nullptr) throw Refused{"a tensor's shape cannot be read"};
    std::vector<std::int64_t> numbers;
    for (const auto& item : *list) {
      const auto* number = item.get<std::int64_t>();
      if (number == nullptr || *number < 0) throw Refused{"a tensor's shape cannot be read"};
      numbers.push_back(*number);
    }
    return numbers;
  }

  // (storage, offset, size, stride, requires_grad, hooks)
  at::Tensor rebuilt_tensor(const PickleList& args) {
    const auto* storage = args.size() < 4 ? nullptr : args[0].get<PickleStorage>();
    const auto* offset = args.size() < 4 ? nullptr : args[1].get<std::int64_t>();
    if (storage == nullptr || offset == nullptr || *offset < 0)
      throw Refused{"a tensor cannot be read"};
    const auto sizes = integers(args[2]);
    const auto strides = integers(args[3]);
    if (sizes.size() != strides.size()) throw Refused{"a tensor has as many sizes as strides"};
    // The last element that sizes and strides can address must be within the storage.
    const std::int64_t available = storage->elements.numel();
    const bool empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
    std::int64_t last = *offset;
    for (std::size_t i = 0; i < sizes.size() && !empty; ++i) {
      if (sizes[i] > 1 && strides[i] > available / (sizes[i] - 1))
        throw Refused{"a tensor reaches beyond its data"};
      last += (sizes[i] - 1) * strides[i];
      if (last > available) throw Refused{"a tensor reaches beyond its data"};
    }
    if (empty ? last > available : last >= available)
      throw Refused{"a tensor reaches beyond its data"};
    count_bytes(sizes, c10::elementSize(storage->type));
    return storage->elements.as_strided(sizes, strides, *offset);
  }

  void count_bytes(const std::vector<std::int64_t>& sizes, std::uint64_t bytes) {
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
    bool too_many = sizes.size() > kMostPickleDimensions;
    for (const std::int64_t size : sizes) {
      too_many =
          too_many || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes);
    }
    if (too_many || bytes > bytes_left_)
      throw Refused{"its tensors have many times more elements than the file has data"};
    bytes_left_ -= bytes;
  }

  std::span<const char>& code_;  ///< remaining bytes
  const StorageData& data_;
  std::uint64_t bytes_left_;  ///< limit for further tensors
  std::size_t values_ = 0;
  std::unordered_map<const void*, Nesting> nestings_;
  PickleList stack_;
  std::vector<std::size_t> marks_;
  PickleList memo_;
  std::map<std::string, PickleStorage, std::less<>> storages_;
};

}  // namespace

PickleValue unpickle(std::span<const char>& code, const StorageData& data,
                     std::uint64_t file_bytes) {
  return Unpickler(code, data, file_bytes).run();
}

}  // namespace ringside::engine
